// The texts of a block as columns: the template of each, the templates, and the words of each template's slots.
//
//   texts     = templates count varint (stream heads), numbers of the templates' sizes; templates (stream templates),
//               numbers: the template of each text, 1 + its place, or 0 for none; numbers of the sizes of those; their bytes
//               (stream texts), *column of words (word_column_writer.hh), template by template, slot by slot
//
// Templates are in the order of their first use.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blobs/core/word_column_writer.hh"

namespace blobs {

class text_columns_writer {
public:
    struct added {
        bool is_shaped = false;          // else the text has no template
        bool is_new_template = false;    // first of its kind in the block
        std::string_view masked;         // of a new template
        std::span<const text_ref> words; // when shaped; places in the raw bytes
    };

    // `where` is the text's place in the raw bytes of the block. Good until the next call.
    added add(std::string_view text, uint32_t where);
    size_t size() const { return _texts.size(); }

    // Steps of bounded work until there is none left: begin, then put_template for each.
    void begin(std::string_view raw, block_streams& out);
    // True while there are more.
    bool put_template(block_streams& out);
    void clear();

private:
    static constexpr uint32_t not_read = UINT32_MAX;

    struct text_info {
        uint32_t shape = 0; // 1 + template, or 0
        uint32_t words_begin = 0;
        uint32_t digits_begin = not_read;
        text_ref place;
    };
    struct template_info {
        text_ref masked; // in _masked
        uint64_t hash = 0;
        uint32_t texts_count = 0;
        uint32_t matcher = 0; // 1 + its number, or 0 for a template that came only once
    };
    // Texts of this signature have this template, most often.
    struct known_signature {
        uint32_t signature = 0;
        uint32_t shape = 0; // 1 + template, or 0
    };

    bool match(std::string_view text, known_signature, text_info&);
    void shape(std::string_view text, uint32_t signature, text_info&, added&);
    uint32_t find_or_add_template(std::string_view masked, bool& is_new);
    void make_matcher(template_info&);
    void grow_table();
    void read_digits(const template_info&);
    template_texts texts_of(const template_info&);
    void put_untemplated(std::string_view raw, block_streams& out);
    void sort_by_template();

    text_shaper _shaper;
    std::vector<text_info> _texts;
    std::vector<text_ref> _words; // of all texts, in their order, places in the raw bytes
    std::string _masked;
    std::vector<template_info> _templates;
    std::vector<uint32_t> _table; // 1 + template, or 0
    std::vector<text_matcher> _matchers;
    std::array<known_signature, 1'024> _known;
    std::vector<digits_read> _digits; // of all texts that were matched

    // While it is coded.
    std::string_view _raw;
    word_column_writer _columns;
    number_writer _numbers;
    std::vector<uint64_t> _values;
    std::vector<uint32_t> _sorted;       // texts with a template, by template
    std::vector<uint32_t> _words_begins; // of the texts of one template
    std::vector<uint32_t> _digits_begins;
    std::vector<text_ref> _words_again;
    size_t _next_template = 0;
    size_t _next_sorted = 0;
};

} // namespace blobs
