// The words of one slot of a template, over all texts that have it: either their variables part by part, or, where most of them
// come again, numbers into the words of the block, with the variables only of those that are new.
//
//   column    = 0, *variables                                      the kind is in the stream heads, so are the heads below
//             / 1, numbers of the codes, *variables of the new     code 0: the next new word, else 1 + its number
//   variables = of digits: 0, width u8, numbers                    all of that many digits
//                        / 1, numbers                              none with a leading zero
//                        / 2, numbers of the widths, numbers
//             = of hex:    0, width u8; two digits a byte          all of that width, which is even (stream stored)
//                        / 1, texts
//             = of uuid:   sixteen bytes each                      (stream stored)
//             = of opaque: texts
//   texts     = numbers of the sizes; bytes                        (stream words)
//
// A word is new to the block when no column before had it as a new one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blobs/core/number_column.hh"
#include "blobs/core/text_matcher.hh"
#include "blobs/core/word_dictionary.hh"

namespace blobs {

enum class word_form : uint8_t { parts = 0, dictionary = 1 };
enum class digits_form : uint8_t { same_width = 0, plain = 1, with_widths = 2 };
enum class hex_form : uint8_t { packed = 0, text = 1 };

// The texts of one template, in their order: where the words of each begin among those of the block, slot by slot, and, when its
// digits were read already, where those begin, variable by variable.
struct template_texts {
    std::span<const text_ref> words;
    std::span<const uint32_t> words_begins;
    std::span<const digits_read> digits;
    std::span<const uint32_t> digits_begins; // empty: they were not

    size_t size() const { return words_begins.size(); }
    bool has_digits() const { return !digits_begins.empty(); }
    text_ref word(size_t text, size_t slot) const { return words[words_begins[text] + slot]; }
    const digits_read& variable(size_t text, size_t part) const { return digits[digits_begins[text] + part]; }
};

class word_column_writer {
public:
    // Before the first column of a block, whose raw bytes are `text`; they stay until the last one.
    void begin(std::string_view text) { _text = text, _dictionary.clear(); }
    // Needs: texts of this template, at least one.
    void put(const text_template&, size_t slot, const template_texts&, block_streams& out);

private:
    bool repeats(const text_template&, size_t slot, const template_texts&);
    template_texts take_new(const template_texts&);
    void put_variables(const text_template&, size_t slot, const template_texts&, block_streams& out);
    void put_read_digits(uint32_t part, const template_texts&, block_streams& out);
    void put_variable(mask kind, block_streams& out);
    void put_digits(block_streams& out);
    void put_values(bool is_plain, bool is_same_width, block_streams& out);
    void put_hex(block_streams& out);
    void put_texts(block_streams& out);

    std::string_view _text;
    word_dictionary _dictionary;
    number_writer _numbers;
    std::vector<uint32_t> _entries; // of the words of this column
    std::vector<uint64_t> _codes;
    std::vector<uint32_t> _new_words_begins; // of the texts with a word that is new
    std::vector<uint32_t> _new_digits_begins;
    std::vector<text_ref> _rests;     // what is left of each word, from its next variable on
    std::vector<text_ref> _variables; // of one part
    std::vector<uint64_t> _values;
    std::vector<uint64_t> _widths;
};

} // namespace blobs
