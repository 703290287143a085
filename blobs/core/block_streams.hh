// The bytes of a block, sorted by kind: what is alike lies together, each stream is compressed as one, where that pays.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/coding.hh"
#include "blobs/core/limits.hh"
#include "blobs/core/zstd_frame.hh"

namespace blobs {

// On disk, as the order of the streams: do not renumber.
enum class stream : uint8_t {
    heads,     // how each column is coded
    templates, // texts with their variables masked
    texts,     // texts that have no template
    words,     // variables that are neither numbers nor hex
    still,     // bytes of numbers, by how much they vary
    calm,
    busy,
    stored, // bytes that no compressor makes smaller
    side,   // hosts, apps, names and values of fields
};
constexpr size_t streams_count = 9;
// A bit for each.
using stream_set = uint16_t;
constexpr stream_set all_streams = (1u << streams_count) - 1;
constexpr stream_set bit_of(stream s) {
    return static_cast<stream_set>(1u << static_cast<unsigned>(s));
}

class block_streams {
public:
    std::string& operator[](stream s) { return _bytes[static_cast<size_t>(s)]; }
    const std::string& operator[](stream s) const { return _bytes[static_cast<size_t>(s)]; }
    void clear();

    // Appends one stream: raw size varint, stored varint, bytes. stored = 2 * size of the bytes + 1 when they are a zstd frame.
    void encode(stream, zstd_compressor&, std::string& out);

private:
    std::array<std::string, streams_count> _bytes;
    std::string _frame; // scratch
};

// Reads them back. Owns what it decompresses, and is reused from block to block.
class stream_readers {
public:
    // False when the bytes are not streams_count streams, none above block_stream_bytes_max. Borrows what is not compressed.
    // Those that are not wanted are empty.
    [[nodiscard]] bool open(std::string_view bytes, zstd_decompressor&, stream_set wanted = all_streams);

    base::byte_reader& operator[](stream s) { return _readers[static_cast<size_t>(s)]; }
    // Nothing failed and nothing is left: what a block must end with.
    bool done() const;
    bool ok() const;

private:
    std::array<std::string, streams_count> _decompressed;
    std::array<base::byte_reader, streams_count> _readers{base::byte_reader({}), base::byte_reader({}), base::byte_reader({}),
                                                          base::byte_reader({}), base::byte_reader({}), base::byte_reader({}),
                                                          base::byte_reader({}), base::byte_reader({}), base::byte_reader({})};
};

} // namespace blobs
