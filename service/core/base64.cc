#include "service/core/base64.hh"

#include <array>
#include <cstdint>

namespace service {
namespace {

constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr uint8_t no_digit = 0xff;

constexpr std::array<char, 64> encoding_table(base64_alphabet alphabet) {
    std::array<char, 64> table{};
    for (size_t i = 0; i < letters.size(); ++i) {
        table[i] = letters[i];
    }
    table[62] = alphabet.plus;
    table[63] = alphabet.slash;
    return table;
}

constexpr std::array<uint8_t, 256> decoding_table(base64_alphabet alphabet) {
    std::array<uint8_t, 256> table{};
    table.fill(no_digit);
    const auto digits = encoding_table(alphabet);
    for (size_t i = 0; i < digits.size(); ++i) {
        table[static_cast<uint8_t>(digits[i])] = static_cast<uint8_t>(i);
    }
    return table;
}

constexpr auto standard_digits = encoding_table({});
constexpr auto standard_values = decoding_table({});

bool is_standard(base64_alphabet a) {
    return a.plus == '+' && a.slash == '/';
}

char* encode(std::string_view bytes, char* at, const std::array<char, 64>& digits, char padding) {
    const auto* in = reinterpret_cast<const uint8_t*>(bytes.data());
    size_t rest = bytes.size();
    for (; rest >= 3; rest -= 3, in += 3, at += 4) {
        const uint32_t group = uint32_t{in[0]} << 16 | uint32_t{in[1]} << 8 | in[2];
        at[0] = digits[group >> 18];
        at[1] = digits[group >> 12 & 63];
        at[2] = digits[group >> 6 & 63];
        at[3] = digits[group & 63];
    }
    if (rest > 0) {
        const uint32_t group = uint32_t{in[0]} << 16 | (rest == 2 ? uint32_t{in[1]} << 8 : 0);
        at[0] = digits[group >> 18];
        at[1] = digits[group >> 12 & 63];
        at[2] = rest == 2 ? digits[group >> 6 & 63] : padding;
        at[3] = padding;
        at += 4;
    }
    return at;
}

std::optional<size_t> decode(std::string_view text, char* out, const std::array<uint8_t, 256>& values, char padding) {
    if (text.size() % 4 != 0) {
        return std::nullopt;
    }
    size_t pads = 0;
    while (pads < 2 && text.ends_with(padding)) {
        text.remove_suffix(1);
        ++pads;
    }
    auto value = [&](size_t i) { return values[static_cast<uint8_t>(text[i])]; };
    size_t at = 0;
    size_t written = 0;
    uint8_t seen = 0; // the high bit stays once a character had no value
    for (; at + 4 <= text.size(); at += 4) {
        const uint8_t a = value(at), b = value(at + 1), c = value(at + 2), d = value(at + 3);
        seen |= a | b | c | d;
        out[written++] = static_cast<char>(a << 2 | b >> 4);
        out[written++] = static_cast<char>(b << 4 | c >> 2);
        out[written++] = static_cast<char>(c << 6 | d);
    }
    if (pads > 0) {
        const uint8_t a = value(at), b = value(at + 1), c = pads == 1 ? value(at + 2) : uint8_t{0};
        seen |= a | b | c;
        out[written++] = static_cast<char>(a << 2 | b >> 4);
        if (pads == 1) {
            out[written++] = static_cast<char>(b << 4 | c >> 2);
        }
    }
    if (seen & 0x80) {
        return std::nullopt;
    }
    return written;
}

} // namespace

void put_base64(text_sink& out, std::string_view bytes, base64_alphabet alphabet) {
    char* at = out.room(base64_length(bytes.size()));
    const bool standard = is_standard(alphabet);
    out.advance_to(encode(bytes, at, standard ? standard_digits : encoding_table(alphabet), alphabet.padding));
}

std::optional<size_t> decode_base64(std::string_view text, char* out, base64_alphabet alphabet) {
    if (is_standard(alphabet)) {
        return decode(text, out, standard_values, alphabet.padding);
    }
    return decode(text, out, decoding_table(alphabet), alphabet.padding);
}

std::optional<std::string> decode_base64(std::string_view text, base64_alphabet alphabet) {
    std::string bytes;
    bool is_valid = false;
    bytes.resize_and_overwrite(base64_decoded_max(text.size()), [&](char* out, size_t) {
        const auto size = decode_base64(text, out, alphabet);
        is_valid = size.has_value();
        return size.value_or(0);
    });
    return is_valid ? std::optional(std::move(bytes)) : std::nullopt;
}

} // namespace service
