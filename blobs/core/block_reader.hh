// A block, read back: what is known of its records without their texts, and any record or all raw bytes when asked for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hh"
#include "blobs/core/block_builder.hh"
#include "blobs/core/text_columns_reader.hh"

namespace blobs {

// What one record is read into; a record borrows from it and from the block.
struct record_scratch {
    std::string text;
    std::vector<base::property> fields;
};

// How much of a block is wanted.
enum class block_content : uint8_t {
    records,
    heads, // order, level, host and app: texts and what lies in them stay compressed
};

// Borrows the bytes it was opened with. Reused from block to block: the memory of the largest is kept, which is some times
// block_raw_bytes_target, so one for each shard is enough.
class block_reader {
public:
    // Bytes without their checksum, which was right. Decodes all columns, but puts no text together. corrupt.
    base::expected<void> open(std::string_view bytes, block_content = block_content::records);

    size_t size() const { return _records_count; }
    size_t raw_bytes() const { return _raw_bytes; }
    // Needs, as all below: i < size().
    record_order order(size_t i) const { return _heads.order(i); }
    int64_t time_ns(size_t i) const { return _heads.time_ns(i); }
    uint8_t level(size_t i) const { return _heads.level(i); }
    const name_column& hosts() const { return _heads.hosts(); }
    const name_column& apps() const { return _heads.apps(); }

    // These need block_content::records. Good until the scratch is used again. corrupt.
    base::expected<record> read(size_t i, record_scratch&) const;
    // The same when the text is in the scratch already.
    base::expected<record> read_rest(size_t i, record_scratch&) const;
    bool has_message_in_text(size_t i) const { return _parts.has_message_in_text(i); }
    const part_columns& parts() const { return _parts; }
    text_columns& texts() { return _texts; }
    // Replaces `out` by the text alone. corrupt.
    base::expected<void> read_text(size_t i, std::string& out) const;
    // Appends all texts, each with a line feed; checked against the raw checksum. corrupt.
    base::expected<void> read_raw(std::string& out) const;

private:
    zstd_decompressor _zstd;
    stream_readers _streams;
    head_columns _heads;
    part_columns _parts;
    text_columns _texts;
    size_t _records_count = 0;
    size_t _raw_bytes = 0;
    uint64_t _raw_checksum = 0;
};

} // namespace blobs
