// A column of 64-bit numbers, as bytes that a compressor can make something of: the values themselves or their differences,
// less the least of them, in units of their common divisor, split into planes (all lowest bytes, then all second bytes ...). A
// plane goes to the stream of those that vary as much as it does.
//
//   column    = head u8, base zigzag varint, [first varint], [divisor varint], [planes' streams varint]     in the stream heads
//   head      = bits 0-1 form; 4: has a divisor; bits 3-5 planes count - 1
//   form      = 0 all values are the base, 1 values, 2 differences (has `first`; the planes have one entry less)
//   streams   = two bits for each plane, the lowest plane lowest: 0 still, 1 calm, 2 busy, 3 stored
//
// All arithmetic wraps, so the extremes need no special case. An empty column has no bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "blobs/core/block_streams.hh"

namespace blobs {

// Reused from column to column, so that in steady state nothing is allocated.
class number_writer {
public:
    void put(std::span<const uint64_t> values, block_streams& out);

private:
    std::vector<uint64_t> _differences;
    std::vector<uint64_t> _residuals;
    std::string _plane;
};

// Exactly out.size() numbers. A failure is that of a stream: ask ok().
void take_numbers(stream_readers&, std::span<uint64_t> out);

} // namespace blobs
