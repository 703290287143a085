// Finds the bytes that give line protocol its shape: comma, equals sign, space, line feed. It looks at 64 input bytes at a
// time and keeps a bit for each of them; what is asked for is then one bit operation away.
//
// Never reads outside [begin, end). Goes forward only.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace ingest {

class delimiter_scanner {
public:
    delimiter_scanner(const char* begin, const char* end) : _block(begin), _end(end) { load(); }

    // The first delimiter that was not yet returned or skipped; `end` when there is none.
    const char* next() {
        while (_found == 0) {
            if (_end - _block <= block_bytes) {
                return _end;
            }
            _block += block_bytes;
            load();
        }
        const char* at = _block + std::countr_zero(_found);
        _found &= _found - 1;
        return at;
    }

    // Skips to `at`, which must not be before what next() last returned, nor after `end`.
    void seek(const char* at) {
        const auto distance = at - _block;
        if (distance < block_bytes) {
            _found &= ~uint64_t{0} << distance;
        } else {
            _block = at;
            load();
        }
    }

    // False when no byte that went by is such. True may also be due to bytes a little further on; those skipped by seek() may
    // not have been looked at.
    bool has_high_bytes() const { return _has_high_bytes; }
    bool has_backslash() const { return _has_backslash; }

private:
    static constexpr std::ptrdiff_t block_bytes = 64;

    // Out of line: done once in 64 bytes, and in the way of next() otherwise.
    void load();
    void classify(const char* block);

    const char* _block; // where the 64 bytes behind _found begin
    const char* _end;
    uint64_t _found = 0; // bit i: _block[i] is a delimiter still to come
    bool _has_high_bytes = false;
    bool _has_backslash = false;
};

} // namespace ingest
