// Records, in their order, into the bytes of one block. Records are added until is_full; then steps code it.
//
//   block     = records count varint, raw bytes varint, raw checksum u64, *stream (block_streams.hh), checksum u64
//   streams   hold head columns, part columns, text columns
//
// The raw bytes are the texts, each with a line feed behind it; they are what the raw checksum is of. The checksum at the end is
// of all other bytes, and put there by who knows the block's place (blob_layout.hh).
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "blobs/core/head_columns.hh"
#include "blobs/core/part_columns.hh"
#include "blobs/core/text_columns_writer.hh"
#include "blobs/core/text_marks.hh"

namespace blobs {

struct block_facts {
    uint32_t records_count = 0;
    uint32_t raw_bytes = 0;
    int64_t first_ns = 0;
    int64_t last_ns = 0;
    level_set levels = 0;

    bool operator==(const block_facts&) const = default;
};

class block_builder {
public:
    explicit block_builder(int zstd_level) : _zstd(zstd_level) { clear(); }

    // Borrows nothing. Needs: not is_full; within the limits of a record; an order behind that of the record before.
    void add(const record&);
    bool is_empty() const { return _facts.records_count == 0; }
    bool is_full() const;
    const block_facts& facts() const { return _facts; }

    // A bounded piece of work. True when the block is complete: all but its checksum is in bytes(). Needs: not empty.
    bool step();
    std::string& bytes() { return _bytes; }
    // What a filter is made from. Good until clear.
    const std::vector<mark>& marks() { return _marks.sorted(); }
    void clear();

private:
    enum class stage : uint8_t { heads, texts, templates, streams, done };

    void add_marks(const record&, text_ref kept_text, const text_columns_writer::added&);
    void add_field_marks(const record&, text_ref kept_text);
    void add_new_template_marks(std::string_view masked);
    // Of a piece of the raw bytes, most often a word.
    void add_word_marks(text_ref word);
    void add_heads(const record&);
    void step_heads();

    zstd_compressor _zstd;
    block_facts _facts;
    record_order _last_order;
    std::string _raw;
    size_t _values_count = 0;
    size_t _side_bytes = 0; // all that is not text
    head_columns_writer _heads;
    part_columns_writer _parts;
    text_columns_writer _texts;
    mark_collector _marks;
    std::array<text_ref, 8'192> _recent_words; // in the raw bytes: their marks are there already

    stage _stage = stage::heads;
    size_t _next_stream = 0;
    number_writer _numbers;
    block_streams _streams;
    std::string _bytes;
};

} // namespace blobs
