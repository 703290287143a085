// Whole columns as length-prefixed pieces of a larger structure: how the footer and the partition pages hold theirs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/coding.hh"
#include "tables/core/codec/bitmap.hh"
#include "tables/core/codec/texts.hh"
#include "tables/core/codec/zstd.hh"

namespace tables {

void put_chunk(const std::vector<int64_t>&, std::string& out);
void put_chunk(const codec::bitmap&, std::string& out);
void put_chunk(const codec::texts&, codec::zstd_compressor&, std::string& out);
// Texts that are sorted, or nearly.
void put_sorted_chunk(const codec::texts&, codec::zstd_compressor&, std::string& out);

// Each reads a chunk of exactly `count` values, or makes the reader fail and leaves `out` without values.
void take_chunk(base::byte_reader&, size_t count, std::vector<int64_t>& out);
void take_chunk(base::byte_reader&, size_t count, codec::bitmap& out);
void take_chunk(base::byte_reader&, size_t count, codec::zstd_decompressor&, codec::texts& out);
void take_sorted_chunk(base::byte_reader&, size_t count, codec::zstd_decompressor&, codec::texts& out);

} // namespace tables
