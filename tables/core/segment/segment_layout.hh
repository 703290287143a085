// Where things are in a segment file, and the bounds of all of them. FORMAT.md has the grammar and a worked example.
//
//   segment   = *(block / partition page), *filter, footer, trailer
//
// The trailer is the last trailer_bytes bytes of the file; it says where the footer is, and the footer where all the rest is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/checksum.hh"
#include "tables/core/codec/limits.hh"
#include "tables/core/codec/text_front.hh"
#include "tables/core/key.hh"

namespace tables::segment_layout {

constexpr uint32_t version = 2;                // what is written
constexpr uint32_t version_min = 1;            // what is read: 1 has no int vectors with codes
constexpr uint64_t magic = 0x544d47455354440a; // "\nDTSEGMT"

// trailer = footer offset u64, footer size u64, footer checksum u64, seed u64, version u32, 0 u32, magic u64, checksum u64
constexpr size_t footer_offset_at = 0;
constexpr size_t footer_size_at = 8;
constexpr size_t footer_checksum_at = 16;
constexpr size_t seed_at = 24;
constexpr size_t version_at = 32;
constexpr size_t zero_at = 36;
constexpr size_t magic_at = 40;
constexpr size_t checksum_at = 48; // of the bytes before it
constexpr size_t trailer_bytes = 56;
static_assert(footer_size_at == footer_offset_at + sizeof(uint64_t));
static_assert(footer_checksum_at == footer_size_at + sizeof(uint64_t));
static_assert(seed_at == footer_checksum_at + sizeof(uint64_t));
static_assert(version_at == seed_at + sizeof(uint64_t));
static_assert(zero_at == version_at + sizeof(uint32_t));
static_assert(magic_at == zero_at + sizeof(uint32_t));
static_assert(checksum_at == magic_at + sizeof(uint64_t));
static_assert(trailer_bytes == checksum_at + sizeof(uint64_t));

// Blocks, pages and filters end with a checksum of all their other bytes.
constexpr size_t checksum_bytes = sizeof(uint64_t);

// The seed is the file's own, the offset where the bytes begin in it: bytes of another file, or of another place, do not pass.
inline uint64_t checksum(std::string_view bytes, uint64_t seed, uint64_t offset) {
    return base::checksum64(bytes, seed * 0x9e3779b97f4a7c15 + offset);
}

// Blocks. A reader needs one block in memory, coded and in part decoded.
constexpr size_t block_rows_limit = codec::column_values_max;
constexpr size_t block_raw_bytes_limit = 16 * 1'024 * 1'024;
constexpr size_t row_raw_bytes_max = 4 * 1'024 * 1'024;       // one row, keys included; above what an entity can be
constexpr size_t block_bytes_max = 2 * block_raw_bytes_limit; // coded; codes that do not pay add a few percent, never this
constexpr size_t block_columns_max = 4'096;                   // schemaless tables may have any number of names
static_assert(block_raw_bytes_limit + row_raw_bytes_max <= codec::column_text_bytes_max);
static_assert(key_bytes_max <= codec::front_text_bytes_max);

// Segments. The block index is columns of one entry for each block.
constexpr size_t segment_blocks_max = codec::column_values_max;
constexpr size_t segment_columns_max = 65'536;
constexpr size_t footer_bytes_max = 256 * 1'024 * 1'024;

// Partition pages.
constexpr size_t page_partitions_max = 4'096;
constexpr size_t page_raw_bytes_target = 256 * 1'024; // of the newest rows in it
constexpr uint64_t newest_row_from_rows = 64;         // a partition with fewer rows is cheap to read
constexpr size_t newest_row_bytes_max = 4'096;        // a larger row stays in its block only

// Min and max of a text column keep this many bytes.
constexpr size_t range_text_bytes_max = 24;

constexpr size_t filter_bits_per_key = 10; // wrong about one absent key in 120
constexpr unsigned filter_probes = 7;
constexpr size_t filter_group_bytes = 32 * 1'024; // read at a time

} // namespace tables::segment_layout

namespace tables {

// Some bytes of a segment file.
struct file_extent {
    uint64_t offset = 0;
    uint64_t size = 0;

    uint64_t end() const { return offset + size; }
    bool operator==(const file_extent&) const = default;
};

} // namespace tables
