// The content of a simulated file: pieces of shared immutable bytes by position, so that thousands of disk images may hold the
// same gigabytes, and a preallocated megabyte of zeros takes no memory at all.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace sim {

// Immutable bytes. Without data they are zeros.
struct slice {
    std::shared_ptr<const std::string> data;
    size_t offset = 0;
    size_t length = 0;

    static slice copy_of(std::span<const char>);
    slice part(size_t from, size_t count) const { return {data, offset + from, count}; }
    void copy_to(char* out) const;
};

class extents {
public:
    void write(uint64_t position, const slice&);
    // Forgets everything from `position` on.
    void cut(uint64_t position) { carve(position, UINT64_MAX); }
    // What was never written reads as zeros.
    void read(uint64_t position, std::span<char> out) const;
    // How many bytes of [position, position + length) were never written.
    uint64_t hole_bytes(uint64_t position, uint64_t length) const;
    uint64_t allocated_bytes() const { return _allocated_bytes; }

private:
    void carve(uint64_t begin, uint64_t end);

    std::map<uint64_t, slice> _pieces; // by position; they do not overlap
    uint64_t _allocated_bytes = 0;
};

} // namespace sim
