// The names of one line's fields, each with the equals sign behind it, as they stand in the line. Lines of a family mostly have
// the same ones in the same order: a name that stands where it stood before needs no search for its end, and all that could be
// wrong with it was looked at then.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <emmintrin.h>

#include "tables/core/value.hh"

namespace ingest {

class field_names {
public:
    // Longer lists are not remembered: this is kept for several families at a time.
    static constexpr size_t bytes_max = 4096;
    // Names are compared in pieces of so many bytes.
    static constexpr size_t piece_bytes = 16;

    size_t size() const { return _begins.size() - 1; }
    // What the list was given when it was learnt; 0 before that.
    uint64_t serial() const { return _serial; }

    // The size of the i-th name, when `bytes` begins with it and its equals sign; else 0.
    size_t match(size_t i, std::string_view bytes) const {
        if (i >= size()) {
            return 0;
        }
        const auto name = std::string_view(_text).substr(_begins[i], _begins[i + 1] - _begins[i]);
        return bytes.starts_with(name) ? name.size() - 1 : 0;
    }

    // With its equals sign. Needs i < size().
    size_t bytes_of(size_t i) const { return _begins[i + 1] - _begins[i]; }
    // The same as match() != 0. Needs i < size(), and piece_bytes readable bytes behind those of the name.
    bool is_at(const char* bytes, size_t i) const {
        const char* name = _text.data() + _begins[i];
        size_t left = bytes_of(i);
        for (;; bytes += piece_bytes, name += piece_bytes, left -= piece_bytes) {
            const auto same =
                static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)),
                                                                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(name)))));
            if (left <= piece_bytes) {
                return (~same & ((1u << left) - 1)) == 0;
            }
            if (same != (1u << piece_bytes) - 1) {
                return false;
            }
        }
    }

    // Needs names that stand in the line as they are: nothing was escaped in them.
    void learn(std::span<const tables::property> fields, uint64_t serial);

private:
    std::string _text; // and a piece of zeros
    std::vector<uint32_t> _begins{0};
    uint64_t _serial = 0;
};

} // namespace ingest
