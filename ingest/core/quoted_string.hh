// The end of a quoted string in which a backslash takes the meaning of the byte behind it away.
#pragma once

#include <bit>
#include <cstdint>

#include <emmintrin.h>

namespace ingest {

struct quoted_scan {
    const char* at; // the closing quote; without one, where to go on looking when more has come
    bool is_closed = false;
    bool has_backslash = false;
    bool has_high_bytes = false; // false: all ASCII up to `at`
};

// `begin` is behind the opening quote, or where an earlier scan of the same string stopped.
inline quoted_scan find_closing_quote(const char* begin, const char* end) {
    quoted_scan scan{begin};
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    while (scan.at != end) {
        // To the next quote or backslash.
        while (end - scan.at >= 16) {
            const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(scan.at));
            scan.has_high_bytes |= _mm_movemask_epi8(bytes) != 0;
            const auto hits = static_cast<uint32_t>(
                _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash))));
            if (hits != 0) {
                scan.at += std::countr_zero(hits);
                break;
            }
            scan.at += 16;
        }
        while (scan.at != end && *scan.at != '"' && *scan.at != '\\') {
            scan.has_high_bytes |= static_cast<signed char>(*scan.at) < 0;
            ++scan.at;
        }
        if (scan.at == end || *scan.at == '"') {
            scan.is_closed = scan.at != end;
            return scan;
        }
        scan.has_backslash = true;
        if (end - scan.at < 2) {
            return scan; // the byte it belongs to is still to come
        }
        scan.has_high_bytes |= static_cast<signed char>(scan.at[1]) < 0;
        scan.at += 2;
    }
    return scan;
}

} // namespace ingest
