// Gzip (and zlib) streams, inflated a bounded piece at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string_view>

struct z_stream_s;

namespace ingest {

// Behind one another in the input, several streams are one, as gzip files are.
class gunzip {
public:
    static constexpr size_t piece_bytes = size_t{32} << 10;
    // Of a whole body. Memory does not depend on it: it bounds how much work a small body can make.
    static constexpr uint64_t inflated_bytes_max = uint64_t{1} << 30;

    enum class fault : uint8_t { broken, too_large };

    explicit gunzip(uint64_t bytes_max = inflated_bytes_max);
    ~gunzip();

    // Takes from the front of `input` and returns what came out, in this object's memory until the next call; empty when all of
    // the input is used up. Call it until then.
    std::expected<std::string_view, fault> next(std::string_view& input);
    // True when the input may end here.
    bool is_whole() const { return _is_whole; }

private:
    std::unique_ptr<z_stream_s> _stream;
    std::unique_ptr<char[]> _piece;
    const uint64_t _bytes_max;
    uint64_t _inflated_bytes = 0;
    bool _is_whole = false;
};

} // namespace ingest
