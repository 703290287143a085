// Texts of which there are few, such as hosts: each once, and a code for every place.
//
//   column    = entries count varint (stream heads), numbers of the entries' sizes; their bytes (stream side), numbers of the
//   codes
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "blobs/core/name_place.hh"
#include "blobs/core/number_column.hh"

namespace blobs {

class name_column_writer {
public:
    void add(std::string_view name);
    // The names there are, in order of first use; good until the next add.
    const std::vector<std::string>& entries() const { return _entries; }
    void encode(number_writer&, block_streams& out) const;
    void clear();

private:
    struct hash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    uint64_t find_or_add(std::string_view name);

    std::vector<std::string> _entries;
    std::unordered_map<std::string, uint64_t, hash, std::equal_to<>> _places;
    std::array<uint32_t, 64> _recent{}; // 1 + entry, or 0: names take turns
    std::vector<uint64_t> _codes;
};

// Borrows the streams' bytes.
class name_column {
public:
    // A failure is that of a stream.
    void take(size_t count, stream_readers&);

    std::string_view operator[](size_t i) const { return _entries[_codes[i]]; }
    // Which entry it is: equal names have equal codes.
    uint64_t code(size_t i) const { return _codes[i]; }
    const std::vector<std::string_view>& entries() const { return _entries; }

private:
    std::vector<std::string_view> _entries;
    std::vector<uint64_t> _codes;
};

} // namespace blobs
