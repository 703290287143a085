#include "blobs/core/text_shape.hh"

#include <algorithm>
#include <bit>

#include <emmintrin.h>

#include "blobs/core/copy_bytes.hh"

namespace blobs {
namespace {

using byte_class::is;

bool is_uuid(std::string_view text) {
    for (size_t i = 0; i < uuid_size; ++i) {
        const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? text[i] != '-' : !is(text[i], byte_class::hex)) {
            return false;
        }
    }
    return text.size() == uuid_size || !is(text[uuid_size], byte_class::run);
}

size_t run_size(std::string_view text, uint8_t classes) {
    size_t size = 0;
    while (size < text.size() && is(text[size], classes)) {
        ++size;
    }
    return size;
}

// Masks the longest run of letters and digits at the start of `text`, which is not empty. Says how long it was, and where what
// was written ends.
struct masked_run {
    size_t size = 0;
    char* end = nullptr;
};

masked_run mask_run(std::string_view text, char* to) {
    masked_run run{.end = to};
    size_t changes = 0; // between digits and letters
    size_t digits = 0;  // in a row, since the last mask
    uint8_t before = 0;
    uint8_t all = 0xff; // classes that all bytes have
    for (; run.size < text.size(); ++run.size) {
        const char byte = text[run.size];
        const uint8_t c = byte_class::table[static_cast<uint8_t>(byte)];
        if ((c & byte_class::run) == 0) {
            break;
        }
        all &= c;
        changes += before != 0 && ((before ^ c) & byte_class::digit) != 0 ? 1 : 0;
        before = c;
        if ((c & byte_class::digit) == 0) {
            *run.end++ = byte;
            digits = 0;
        } else if (digits++ % digits_max == 0) {
            *run.end++ = static_cast<char>(mask::digits);
        }
    }
    const bool is_hex = changes != 0 && run.size >= hex_from && (all & byte_class::hex) != 0;
    if (is_hex || changes >= opaque_from) {
        *to = static_cast<char>(is_hex ? mask::hex : mask::opaque);
        run.end = to + 1;
    }
    return run;
}

// Where the next digit or mask is, from `at` on, or the end. Most of a text is neither, so sixteen bytes are looked at together.
size_t next_variable(std::string_view text, size_t at) {
    const auto within = [](__m128i bytes, char least, char count) {
        const auto shifted = _mm_sub_epi8(bytes, _mm_set1_epi8(least));
        return _mm_cmpeq_epi8(_mm_min_epu8(shifted, _mm_set1_epi8(static_cast<char>(count - 1))), shifted);
    };
    for (; at + 16 <= text.size(); at += 16) {
        const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
        const auto found = _mm_or_si128(within(bytes, '0', 10), within(bytes, 1, mask_last));
        if (const auto bits = static_cast<unsigned>(_mm_movemask_epi8(found)); bits != 0) {
            return at + static_cast<size_t>(std::countr_zero(bits));
        }
    }
    while (at < text.size() && !is(text[at], byte_class::digit | byte_class::masked)) {
        ++at;
    }
    return at;
}

} // namespace

size_t text_shaper::mask_word(std::string_view rest) {
    size_t at = 0;
    while (at < rest.size() && is(rest[at], byte_class::word)) {
        if (is(rest[at], byte_class::masked)) {
            return 0;
        }
        if (!is(rest[at], byte_class::run)) {
            *_end++ = rest[at++];
        } else if (rest.size() - at >= uuid_size && rest[at + 8] == '-' && is_uuid(rest.substr(at))) {
            *_end++ = static_cast<char>(mask::uuid);
            at += uuid_size;
        } else {
            const auto run = mask_run(rest.substr(at), _end);
            _end = run.end;
            at += run.size;
        }
    }
    return at;
}

bool text_shaper::shape(std::string_view text) {
    _words.clear();
    if (text.size() > shaped_text_bytes_max) {
        return false;
    }
    _end = _masked.data();
    size_t copied = 0; // everything before is in the masked text
    for (size_t i = next_variable(text, 0); i < text.size(); i = next_variable(text, copied)) {
        if (_words.size() == shaped_words_max) {
            return false;
        }
        size_t begin = i;
        while (begin > copied && is(text[begin - 1], byte_class::word)) {
            --begin;
        }
        _end = copy_bytes(text.substr(copied, begin - copied), _end);
        const size_t size = mask_word(text.substr(begin));
        if (size == 0) {
            return false;
        }
        _words.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(size)});
        copied = begin + size;
    }
    _end = copy_bytes(text.substr(copied), _end);
    return true;
}

size_t variable_size(std::string_view rest, mask kind) {
    switch (kind) {
    case mask::digits: return std::min(run_size(rest, byte_class::digit), digits_max);
    case mask::uuid: return uuid_size;
    case mask::hex:
    case mask::opaque: return run_size(rest, byte_class::run);
    }
    return 0;
}

} // namespace blobs
