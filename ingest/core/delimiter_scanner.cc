#include "ingest/core/delimiter_scanner.hh"

#include <cstring>

#include <tmmintrin.h>

namespace ingest {

void delimiter_scanner::load() {
    if (_end - _block >= block_bytes) {
        classify(_block);
        return;
    }
    alignas(16) char padded[block_bytes] = {};
    if (_block != _end) {
        std::memcpy(padded, _block, static_cast<size_t>(_end - _block));
    }
    classify(padded);
}

// The low halves of the four delimiters differ, so a shuffle by the low half of each byte yields the only delimiter it could
// be; the other places of the table are 0, which has none of their low halves.
void delimiter_scanner::classify(const char* block) {
    const __m128i delimiters = _mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, 0, '\n', 0, ',', '=', 0, 0);
    uint64_t found = 0;
    __m128i high = _mm_setzero_si128();
    __m128i backslashes = _mm_setzero_si128();
    for (int i = 0; i < block_bytes / 16; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + 16 * i));
        const __m128i hits = _mm_cmpeq_epi8(bytes, _mm_shuffle_epi8(delimiters, bytes));
        found |= static_cast<uint64_t>(static_cast<uint32_t>(_mm_movemask_epi8(hits))) << (16 * i);
        high = _mm_or_si128(high, bytes);
        backslashes = _mm_or_si128(backslashes, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
    }
    _found = found;
    _has_high_bytes |= _mm_movemask_epi8(high) != 0;
    _has_backslash |= _mm_movemask_epi8(backslashes) != 0;
}

} // namespace ingest
