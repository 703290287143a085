// The template of a text: the text with its variables masked. No patterns, one pass.
//
// A *word* is a longest run of letters, digits, bytes from 80 on and the joiners . : _ -. In a word with a digit, these parts are
// variables, each replaced by one byte, its *mask*; all other bytes stay as they are:
//   uuid      8-4-4-4-12 lower-case hex digits
//   hex       a run of at least hex_from letters and digits that are lower-case hex digits, of both kinds
//   opaque    a run of letters and digits that changes between the two at least opaque_from times
//   digits    any other run of digits, cut after digits_max
// So every word is either all template or has variables, which filters make use of (text_marks.hh).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace blobs {

// On disk, as bytes of a template: do not renumber. Texts that have these bytes get no template.
enum class mask : uint8_t { digits = 1, hex = 2, uuid = 3, opaque = 4 };
constexpr uint8_t mask_last = 4;

constexpr size_t digits_max = 19; // what a 64-bit number holds in any case
constexpr size_t hex_from = 6;
constexpr size_t opaque_from = 3;
constexpr size_t uuid_size = 36;

// Longer texts, and those with more variables, get no template: they are rare, and their variables would be many columns.
constexpr size_t shaped_text_bytes_max = 8'192;
constexpr size_t shaped_words_max = 128;

namespace byte_class {
constexpr uint8_t digit = 1;
constexpr uint8_t letter = 2;  // also all bytes from 80 on
constexpr uint8_t joiner = 4;  // . : _ -
constexpr uint8_t hex = 8;     // 0-9 a-f
constexpr uint8_t masked = 16; // a mask
constexpr uint8_t run = digit | letter;
constexpr uint8_t word = digit | letter | joiner | masked;

constexpr std::array<uint8_t, 256> table = [] {
    std::array<uint8_t, 256> t{};
    for (unsigned c = 0; c < 256; ++c) {
        const bool is_digit = c >= '0' && c <= '9';
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
        const bool is_joiner = c == '.' || c == ':' || c == '_' || c == '-';
        const bool is_hex = is_digit || (c >= 'a' && c <= 'f');
        t[c] = static_cast<uint8_t>((is_digit ? digit : 0) | (is_letter ? letter : 0) | (is_joiner ? joiner : 0) |
                                    (is_hex ? hex : 0) | (c >= 1 && c <= mask_last ? masked : 0));
    }
    return t;
}();
constexpr bool is(char c, uint8_t classes) {
    return (table[static_cast<uint8_t>(c)] & classes) != 0;
}
} // namespace byte_class

// A word with variables, in the text it was found in.
struct text_ref {
    uint32_t begin = 0;
    uint32_t size = 0;
};

class text_shaper {
public:
    // False: this text gets no template. What it finds is good until the next call.
    bool shape(std::string_view text);

    std::string_view masked() const { return {_masked.data(), static_cast<size_t>(_end - _masked.data())}; }
    std::span<const text_ref> words() const { return _words; }

private:
    // Masks the word that `rest` begins with and says how long it is; 0 when it has a mask already.
    size_t mask_word(std::string_view rest);

    std::array<char, shaped_text_bytes_max> _masked; // never longer than the text
    char* _end = _masked.data();
    std::vector<text_ref> _words;
};

// What a variable at the start of `rest`, of a known kind, takes: the same rules, for one variable.
size_t variable_size(std::string_view rest, mask kind);

} // namespace blobs
