#include "blobs/core/text_shape.hh"

#include <algorithm>
#include <bit>

#include <emmintrin.h>

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

struct run_facts {
    size_t size = 0;
    size_t changes = 0; // between digits and letters
    uint8_t all = 0xff; // classes that all bytes have
    uint8_t any = 0;
};

run_facts look_at_run(std::string_view text) {
    run_facts facts;
    uint8_t before = 0;
    for (; facts.size < text.size(); ++facts.size) {
        const uint8_t c = byte_class::table[static_cast<uint8_t>(text[facts.size])];
        if ((c & byte_class::run) == 0) {
            break;
        }
        facts.changes += before != 0 && ((before ^ c) & byte_class::digit) != 0 ? 1 : 0;
        facts.all &= c;
        facts.any |= c;
        before = c;
    }
    return facts;
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

void text_shaper::mask_word(std::string_view word) {
    while (!word.empty()) {
        if (!is(word.front(), byte_class::run)) {
            _masked.push_back(word.front());
            word.remove_prefix(1);
            continue;
        }
        if (word.size() >= uuid_size && word[8] == '-' && is_uuid(word)) {
            _masked.push_back(static_cast<char>(mask::uuid));
            word.remove_prefix(uuid_size);
            continue;
        }
        const auto run = look_at_run(word);
        const bool is_mixed = run.changes != 0;
        if (is_mixed && run.size >= hex_from && (run.all & byte_class::hex) != 0) {
            _masked.push_back(static_cast<char>(mask::hex));
        } else if (run.changes >= opaque_from) {
            _masked.push_back(static_cast<char>(mask::opaque));
        } else {
            for (size_t i = 0; i < run.size;) {
                const size_t digits = std::min(run_size(word.substr(i, run.size - i), byte_class::digit), digits_max);
                _masked.push_back(digits == 0 ? word[i] : static_cast<char>(mask::digits));
                i += std::max<size_t>(digits, 1);
            }
        }
        word.remove_prefix(run.size);
    }
}

bool text_shaper::shape(std::string_view text) {
    _masked.clear();
    _words.clear();
    if (text.size() > shaped_text_bytes_max) {
        return false;
    }
    size_t copied = 0; // everything before is in _masked
    for (size_t i = next_variable(text, 0); i < text.size(); i = next_variable(text, copied)) {
        if (is(text[i], byte_class::masked) || _words.size() == shaped_words_max) {
            return false;
        }
        size_t begin = i;
        while (begin > copied && is(text[begin - 1], byte_class::word)) {
            --begin;
        }
        size_t end = i + 1;
        while (end < text.size() && is(text[end], byte_class::word)) {
            if (is(text[end], byte_class::masked)) {
                return false;
            }
            ++end;
        }
        _masked.append(text, copied, begin - copied);
        mask_word(text.substr(begin, end - begin));
        _words.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end - begin)});
        copied = end;
    }
    _masked.append(text, copied);
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
