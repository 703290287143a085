// The words of one slot, read back (word_column_writer.hh has the bytes). Variables are decoded at once, words are put together
// when they are asked for; only those of a dictionary are kept as texts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blobs/core/number_column.hh"
#include "blobs/core/text_template.hh"
#include "blobs/core/word_column_writer.hh"

namespace blobs {

// All columns of a block. Borrows the streams' bytes; reused from block to block.
class word_columns {
public:
    // What `take` gives out: where to find the words of a slot.
    struct column {
        word_form form = word_form::parts;
        uint32_t begin = 0;     // parts: its first entry in the parts; dictionary: that of its words' numbers
        uint32_t bytes_max = 0; // parts: of a word, without its texts
        bool has_texts = false; // parts: some are texts, whose sizes differ
        uint32_t parts_count = 0;
    };

    // `text_bytes` are those all variables that are texts lie in.
    void begin(std::string_view text_bytes);
    // `count` words. A failure is that of a stream, also when there would be more than block_text_bytes_max variables in all,
    // which is more than a block of that many bytes can have.
    column take(std::string_view masked, const text_template&, const template_slot&, size_t count, stream_readers&);

    // No less than what word i takes. Needs, as below: i below the count, and the slot the column was taken for.
    size_t size_max(const column&, size_t i) const;
    // Writes word i and says where it ends.
    char* write(const column&, std::string_view masked, const text_template&, const template_slot&, size_t i, char* to) const;

    // For searches (word_column_search.cc). False: no variable that is a text has these letters.
    bool texts_have(std::string_view letters) const;
    // Makes keys of texts, one for each word, tell which sizes the variables of the words have: texts of one key have variables
    // of the same sizes in all columns that were added. All keys are below `range`, which grows. False when there are too many.
    bool add_sizes(const column&, const text_template&, const template_slot&, std::span<uint64_t> keys, uint64_t& range);
    // Sets found[i] where word i has the piece, and sometimes where it has not. The piece has a digit, is part of one word, and
    // is the same until begin().
    void find(const column&, std::string_view masked, const text_template&, const template_slot&, std::string_view piece,
              std::span<uint8_t> found);

private:
    struct part {
        mask kind = mask::digits;
        uint8_t form = 0;
        uint8_t width = 0;          // 0: not the same for all
        uint32_t numbers_begin = 0; // values of digits
        uint32_t places_begin = 0;  // widths of digits (as sizes), texts
        const char* bytes = nullptr;

        bool is_text() const {
            return kind == mask::opaque || (kind == mask::hex && form == static_cast<uint8_t>(hex_form::text));
        }
    };
    void take_parts(const text_template&, const template_slot&, size_t count, stream_readers&);
    void take_digits(part&, size_t count, stream_readers&);
    void take_packed(part&, size_t bytes_each, size_t count, stream_readers&);
    void take_texts(part&, size_t count, stream_readers&);
    bool admit(size_t count, stream_readers&);
    column finish_parts(size_t parts_begin, const text_template&, const template_slot&) const;
    void add_word(const column&, std::string_view masked, const text_template&, const template_slot&, size_t i);
    char* write_part(const part&, size_t i, char* to) const;
    text_ref dictionary_word(const column& from, size_t i) const { return _dictionary[_word_numbers[from.begin + i]]; }

    std::span<const uint64_t> numbers_of(const part& p, size_t count) const {
        return std::span(_numbers).subspan(p.numbers_begin, count);
    }
    bool add_part_sizes(const part&, std::span<uint64_t> keys, uint64_t& range) const;
    bool add_dictionary_sizes(const column&, const text_template&, const template_slot&, std::span<uint64_t> keys,
                              uint64_t& range);
    // Of the variables of one word; nothing when they do not fit.
    static std::optional<uint64_t> sizes_code(std::string_view word, const text_template&, const template_slot&);
    void find_in_dictionary(std::string_view piece);
    void find_digits(const part&, std::string_view digits, std::span<uint8_t> found) const;

    std::vector<part> _parts;
    std::vector<uint64_t> _numbers;
    std::vector<text_ref> _places; // in the part's bytes
    std::string _words;            // of the dictionary, put together
    std::vector<text_ref> _dictionary;
    std::vector<uint32_t> _word_numbers; // in the dictionary, of columns that use it
    std::string_view _text_bytes;
    std::vector<uint64_t> _codes;
    size_t _variables_count = 0;

    // Of a search.
    std::vector<uint8_t> _is_found; // for each word of the dictionary; empty before anybody asked
    std::vector<uint16_t> _classes; // likewise, of the column that sizes are added of
    std::string _written;
};

} // namespace blobs
