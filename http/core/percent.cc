#include "http/core/percent.hh"

namespace http {

enum class plus { literal, space };

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static base::expected<std::string> decode(std::string_view text, plus meaning) {
    std::string out;
    out.reserve(text.size());
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+' && meaning == plus::space) {
            out.push_back(' ');
        } else if (text[i] != '%') {
            out.push_back(text[i]);
        } else {
            const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
            if (high < 0 || low < 0) {
                return base::fail(base::errc::invalid_argument, "'%' without two hexadecimal digits");
            }
            out.push_back(static_cast<char>(high * 16 + low));
            i += 2;
        }
    }
    return out;
}

base::expected<std::string> percent_decode(std::string_view text) {
    return decode(text, plus::literal);
}

base::expected<std::string> form_decode(std::string_view text) {
    return decode(text, plus::space);
}

static bool is_unreserved(char c) {
    const char lower = static_cast<char>(c | 0x20);
    return (c >= '0' && c <= '9') || (lower >= 'a' && lower <= 'z') || c == '-' || c == '.' || c == '_' || c == '~';
}

std::string percent_encode(std::string_view text) {
    static constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    out.reserve(text.size());
    for (char c : text) {
        if (is_unreserved(c)) {
            out.push_back(c);
        } else {
            const auto byte = static_cast<unsigned char>(c);
            out.append({'%', digits[byte >> 4], digits[byte & 15]});
        }
    }
    return out;
}

} // namespace http
