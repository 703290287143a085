// The texts of a block, read back (text_columns_writer.hh has the bytes): columns are decoded at once, and then any text is put
// together on its own, so that nothing is spent on those nobody asks for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "blobs/core/word_column_reader.hh"

namespace blobs {

// Borrows the streams' bytes; reused from block to block.
class text_columns {
public:
    // `count` texts. A failure is that of a stream.
    void take(size_t count, stream_readers&);

    size_t size() const { return _texts.size(); }
    // Appends text i. False when it would be longer than text_bytes_max, which is damage. Needs: i < size().
    [[nodiscard]] bool append(size_t i, std::string& out) const;

    // For searches. Which template a text has, and the how manieth of its texts it is.
    struct text_info {
        uint32_t shape = 0; // 1 + template, or 0
        uint32_t rank = 0;  // among the texts of that template, or of those without
    };
    text_info info(size_t i) const { return _texts[i]; }
    size_t templates_count() const { return _templates.size(); }
    std::string_view masked(size_t t) const { return _templates[t].masked; }
    size_t texts_count(size_t t) const { return _templates[t].texts_count; }
    bool has_only_digits(size_t t) const { return _templates[t].shape.has_only_digits(); }
    bool texts_have(std::string_view letters) const { return _words.texts_have(letters); }
    // Keys for the texts of template t, zero before: texts with one key have variables of the same sizes. False: there are too
    // many.
    bool make_keys(size_t t, std::span<uint64_t> keys);
    // Sets found[i] where a word of text i of template t has the piece, and sometimes where none has (word_columns::find).
    void find(size_t t, std::string_view piece, std::span<uint8_t> found);

private:
    struct template_info {
        std::string_view masked;
        text_template shape;
        uint32_t columns_begin = 0;
        uint32_t texts_count = 0;
    };
    char* write(const template_info&, size_t rank, char* to) const;
    bool take_templates(stream_readers&);
    bool take_untemplated(size_t count, stream_readers&);

    std::vector<text_info> _texts;
    std::vector<template_info> _templates;
    std::vector<word_columns::column> _columns; // of all slots of all templates
    word_columns _words;
    std::vector<text_ref> _untemplated; // in _untemplated_bytes
    std::string_view _untemplated_bytes;
    std::vector<uint64_t> _values;
};

} // namespace blobs
