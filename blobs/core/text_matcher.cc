#include "blobs/core/text_matcher.hh"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <emmintrin.h>

namespace blobs {
namespace {

using byte_class::is;

uint64_t load_eight(const char* from) {
    uint64_t bits = 0;
    std::memcpy(&bits, from, sizeof bits);
    return bits;
}

struct digit_run {
    uint64_t value = 0;
    size_t size = 0; // digits_max + 1 when there are more than digits_max
};

void add_digits(const char* at, const char* end, digit_run& run) {
    for (; at + run.size != end && is(at[run.size], byte_class::digit); ++run.size) {
        if (run.size == digits_max) {
            ++run.size;
            return;
        }
        run.value = run.value * 10 + static_cast<uint64_t>(at[run.size] - '0');
    }
}

// Eight bytes at once, without a branch on how many of them are digits. Needs: eight bytes that may be read.
digit_run read_digits(const char* at, const char* end) {
    digit_run run;
    const uint64_t bytes = load_eight(at) ^ 0x3030303030303030;
    const uint64_t others = ((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080;
    const unsigned bits = others == 0 ? 64 : static_cast<unsigned>(std::countr_zero(others)) & ~7u;
    if (bits == 0) {
        return run;
    }
    uint64_t v = bytes << (64 - bits); // zeros before the first digit
    v = (v * (1 + (10 << 8)) >> 8) & 0x00ff00ff00ff00ff;
    v = (v * (1 + (100 << 16)) >> 16) & 0x0000ffff0000ffff;
    run.value = v * (1 + (uint64_t{10'000} << 32)) >> 32;
    run.size = bits / 8;
    if (run.size == 8) {
        add_digits(at, end, run);
    }
    return run;
}

// What is before the digits of a step, and the digits; nothing of them when it is something else.
digit_run read_step(const char* at, const char* end, std::string_view before, uint64_t head, uint64_t head_bytes) {
    digit_run run;
    const auto left = static_cast<size_t>(end - at);
    if (left < before.size() + 8) {
        if (left >= before.size() && std::memcmp(at, before.data(), before.size()) == 0) {
            add_digits(at + before.size(), end, run);
        }
        return run;
    }
    if (((load_eight(at) ^ head) & head_bytes) != 0 ||
        (before.size() > 8 && std::memcmp(at + 8, before.data() + 8, before.size() - 8) != 0)) {
        return run;
    }
    return read_digits(at + before.size(), end);
}

uint64_t low_bytes(size_t count) {
    return count >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * count)) - 1;
}

// The sum over its bytes of some number for each, digits counting nothing: so neither do their places.
class byte_sum {
public:
    void add(__m128i bytes) {
        const auto shifted = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
        const auto is_digit = _mm_cmpeq_epi8(_mm_min_epu8(shifted, _mm_set1_epi8(9)), shifted);
        const auto kept = _mm_andnot_si128(is_digit, bytes);
        _plain = _mm_add_epi64(_plain, _mm_sad_epu8(kept, _mm_setzero_si128()));
        // Squares tell texts apart that only have the same sum.
        const auto low = _mm_and_si128(kept, _mm_set1_epi16(0x00ff));
        const auto high = _mm_srli_epi16(kept, 8);
        _squares = _mm_add_epi32(_squares, _mm_madd_epi16(low, low));
        _squares = _mm_add_epi32(_squares, _mm_madd_epi16(high, high));
    }
    uint32_t mixed() const {
        const auto plain = static_cast<uint64_t>(_mm_cvtsi128_si64(_plain)) +
                           static_cast<uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(_plain, _plain)));
        std::array<uint32_t, 4> squares;
        std::memcpy(squares.data(), &_squares, sizeof squares);
        const uint64_t sum = plain << 32 | static_cast<uint32_t>(squares[0] + squares[1] + squares[2] + squares[3]);
        return static_cast<uint32_t>(sum * 0x9e3779b97f4a7c15 >> 32);
    }

private:
    __m128i _plain = _mm_setzero_si128();
    __m128i _squares = _mm_setzero_si128();
};

// Runs of letters and digits are variables of digits for any number of digits when they have no letters, or one that is no hex
// digit. Where there are several masks in a row, the digits were cut.
bool is_for_any_digits(std::string_view run) {
    const bool has_mask = std::ranges::any_of(run, [](char c) { return is(c, byte_class::masked); });
    const bool has_letter = std::ranges::any_of(run, [](char c) { return is(c, byte_class::letter); });
    const bool is_hex = std::ranges::all_of(run, [](char c) { return is(c, byte_class::hex | byte_class::masked); });
    const bool is_cut =
        std::ranges::adjacent_find(run, [](char a, char b) { return is(a, byte_class::masked) && a == b; }) != run.end();
    return !has_mask || (!is_cut && !(has_letter && is_hex));
}

// A uuid has four dashes, and may be all digits.
constexpr int uuid_dashes = 4;

bool is_any_digits_template(std::string_view masked) {
    constexpr uint8_t in_run = byte_class::run | byte_class::masked;
    int dashes = 0; // in this word
    for (size_t i = 0; i < masked.size(); ++i) {
        dashes = !is(masked[i], byte_class::word) ? 0 : dashes + (masked[i] == '-' ? 1 : 0);
        if (dashes == uuid_dashes) {
            return false;
        }
        size_t end = i;
        while (end < masked.size() && is(masked[end], in_run)) {
            ++end;
        }
        if (!is_for_any_digits(masked.substr(i, end - i))) {
            return false;
        }
        i = end == i ? i : end - 1;
    }
    return true;
}

} // namespace

uint32_t signature_of(std::string_view text) {
    byte_sum sum;
    size_t at = 0;
    for (; at + 16 <= text.size(); at += 16) {
        sum.add(_mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at)));
    }
    if (at != text.size()) {
        std::array<char, 16> rest{};
        std::memcpy(rest.data(), text.data() + at, text.size() - at);
        sum.add(_mm_loadu_si128(reinterpret_cast<const __m128i*>(rest.data())));
    }
    return sum.mixed();
}

text_matcher::text_matcher(std::string_view masked, const text_template& shape)
    : _can_match(shape.has_only_digits() && is_any_digits_template(masked)) {
    if (!_can_match) {
        return;
    }
    _words_count = shape.slots.size();
    size_t done = 0;
    for (const auto& slot : shape.slots) {
        for (uint32_t p = slot.parts_begin; p < slot.parts_end; ++p) {
            const auto& part = shape.parts[p].before;
            const size_t end = part.begin + part.size;
            const auto before = masked.substr(done, end - done);
            step s{.head_bytes = low_bytes(before.size()),
                   .before = {static_cast<uint32_t>(done), static_cast<uint32_t>(before.size())},
                   .word_before = static_cast<uint16_t>(part.size),
                   .word_tail = static_cast<uint16_t>(slot.tail.size),
                   .begins_word = p == slot.parts_begin,
                   .ends_word = p + 1 == slot.parts_end};
            std::memcpy(&s.head, before.data(), std::min(before.size(), sizeof s.head));
            _steps.push_back(s);
            done = end + 1;
        }
    }
    _tail = {static_cast<uint32_t>(done), static_cast<uint32_t>(masked.size() - done)};
}

bool text_matcher::match(std::string_view masked, std::string_view text, uint32_t where, std::vector<text_ref>& words,
                         std::vector<digits_read>& digits) const {
    if (!_can_match || text.size() > shaped_text_bytes_max) {
        return false;
    }
    const size_t words_begin = words.size();
    const size_t digits_begin = digits.size();
    words.resize(words_begin + _words_count);
    digits.resize(digits_begin + _steps.size());
    const bool matches = match_steps(masked, text, where, words.data() + words_begin, digits.data() + digits_begin);
    if (!matches) {
        words.resize(words_begin);
        digits.resize(digits_begin);
    }
    return matches;
}

bool text_matcher::match_steps(std::string_view masked, std::string_view text, uint32_t where, text_ref* words,
                               digits_read* digits) const {
    const char* const begin = text.data();
    const char* const end = begin + text.size();
    const char* at = begin;
    const char* word = begin;
    for (const auto& s : _steps) {
        const auto run = read_step(at, end, view(masked, s.before), s.head, s.head_bytes);
        if (run.size == 0 || run.size > digits_max) {
            return false;
        }
        at += s.before.size;
        *digits++ = {run.value, static_cast<uint8_t>(run.size), run.size > 1 && *at == '0'};
        word = s.begins_word ? at - s.word_before : word;
        at += run.size;
        if (s.ends_word) {
            *words++ = {where + static_cast<uint32_t>(word - begin), static_cast<uint32_t>(at - word) + s.word_tail};
        }
    }
    return std::string_view(at, end) == view(masked, _tail);
}

} // namespace blobs
