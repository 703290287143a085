// Where things are in a blob file. FORMAT.md has the grammar and a worked example.
//
//   blob      = *block, *slice, footer, footer, trailer, trailer
//
// The two trailers, the same bytes twice, are the end of the file; they say where the footers are, the same bytes twice again,
// and those where all the rest is. One flipped byte never costs more than the block it is in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/checksum.hh"

namespace blobs::blob_layout {

constexpr uint32_t version_first = 1;
constexpr uint32_t version = 2;                // what filters are about has changed: a version is a filter_scope
constexpr uint64_t magic = 0x424f4c42474f4c0a; // "\nLOGBLOB"

// trailer = footer offset u64, footer size u64, footer checksum u64, seed u64, version u32, 0 u32, magic u64, checksum u64
constexpr size_t version_at = 32;
constexpr size_t magic_at = 40;
constexpr size_t checksum_at = 48; // of the bytes before it
constexpr size_t trailer_bytes = 56;
constexpr size_t trailers_bytes = 2 * trailer_bytes;
static_assert(version_at == 4 * sizeof(uint64_t));
static_assert(magic_at == version_at + 2 * sizeof(uint32_t));
static_assert(checksum_at == magic_at + sizeof(uint64_t));
static_assert(trailer_bytes == checksum_at + sizeof(uint64_t));

// Blocks and slices end with a checksum of all their other bytes.
constexpr size_t checksum_bytes = sizeof(uint64_t);

// The seed is the file's own, the offset where the bytes begin in it: bytes of another file, or of another place, do not pass.
inline uint64_t checksum(std::string_view bytes, uint64_t seed, uint64_t offset) {
    return base::checksum64(bytes, seed * 0x9e3779b97f4a7c15 + offset);
}

// Filters may take this part of the blocks' bytes; with the heads around them they stay within a tenth.
constexpr size_t filter_bytes_part = 10;
// A blob whose first block has fewer marks keeps its filters in one slice.
constexpr size_t sliced_from_marks = 2'048;

} // namespace blobs::blob_layout

namespace blobs {

// Some bytes of a blob file.
struct blob_extent {
    uint64_t offset = 0;
    uint64_t size = 0;

    uint64_t end() const { return offset + size; }
    bool operator==(const blob_extent&) const = default;
};

} // namespace blobs
