// Base64 with padding, as Binary properties, keys, signatures and continuation tokens carry it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "service/core/text_sink.hh"

namespace service {

// Three characters of the alphabet that some places cannot hold.
struct base64_alphabet {
    char plus = '+';
    char slash = '/';
    char padding = '=';
};

constexpr size_t base64_length(size_t bytes) {
    return (bytes + 2) / 3 * 4;
}

void put_base64(text_sink&, std::string_view bytes, base64_alphabet = {});

// Most bytes that so many characters can hold.
constexpr size_t base64_decoded_max(size_t characters) {
    return characters / 4 * 3;
}
// Writes at most base64_decoded_max(text.size()) bytes and says how many; nothing when the text is not whole groups of four
// letters of the alphabet with padding only at the end. Bits behind the last byte are not looked at, as .NET does not.
std::optional<size_t> decode_base64(std::string_view text, char* out, base64_alphabet = {});
std::optional<std::string> decode_base64(std::string_view text, base64_alphabet = {});

} // namespace service
