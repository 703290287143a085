// The bounds of blobs. Decoders refuse what exceeds them before they allocate anything: a declared size is never trusted.
#pragma once

#include <cstddef>
#include <cstdint>

namespace blobs {

// A record's text, as it came. Also what a connection buffers of one line.
constexpr size_t text_bytes_max = size_t{1} << 20;
// All other texts of a record together: host, app, a message that is not part of the text, names and values of fields.
constexpr size_t record_side_bytes_max = size_t{1} << 20;
constexpr size_t record_bytes_max = text_bytes_max + record_side_bytes_max;
// As many as an entity has properties. Readers refuse more, so it may only grow.
constexpr size_t fields_max = 252;
constexpr size_t field_name_bytes_max = 255;
constexpr size_t source_bytes_max = 255;

// A block is closed when it has this many raw bytes. Larger ones compress better and need fewer filter bytes, smaller ones are
// cheaper to open for one record; one of this size decodes in about two milliseconds.
constexpr size_t block_raw_bytes_target = 1'024 * 1'024;
constexpr size_t block_records_max = 32'768;
// The newest records of a large blob are a block of their own, this small (raw): they are asked for most often, and alone.
constexpr size_t tail_raw_bytes = 16 * 1'024;
constexpr size_t tail_from_raw_bytes = 1'024 * 1'024;
// What a block may decode to: the target, reached but for one byte, and one record of any size.
constexpr size_t block_text_bytes_max = block_raw_bytes_target + text_bytes_max + 1;
constexpr size_t block_stream_bytes_max = 4 * (block_text_bytes_max + record_side_bytes_max);
// Values of fields of one block's records; a writer closes the block before.
constexpr size_t block_values_max = size_t{1} << 20;
constexpr size_t block_bytes_max = block_stream_bytes_max;

// Records of one batch of the log, which must fit a log record.
constexpr size_t batch_bytes_max = 6 << 20;
constexpr size_t batch_records_max = 65'536;

// One blob. The block index is kept in memory while a blob is open.
constexpr size_t blob_blocks_max = 16'384;
constexpr size_t footer_bytes_max = 4 << 20;

} // namespace blobs
