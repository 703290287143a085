#include "query/core/filter_literal.hh"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <limits>
#include <utility>

namespace query {
namespace {

using tables::value;

std::optional<int> hex_digit(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? std::optional(lower - 'a' + 10) : std::nullopt;
}

std::optional<std::string> read_hex(std::string_view digits) {
    if (digits.size() % 2 != 0) {
        return std::nullopt;
    }
    std::string bytes;
    bytes.reserve(digits.size() / 2);
    for (size_t i = 0; i < digits.size(); i += 2) {
        const auto high = hex_digit(digits[i]);
        const auto low = hex_digit(digits[i + 1]);
        if (!high || !low) {
            return std::nullopt;
        }
        bytes.push_back(static_cast<char>(*high << 4 | *low));
    }
    return bytes;
}

std::optional<literal> read_binary(std::string_view body) {
    const auto bytes = read_hex(body);
    return bytes ? std::optional(literal(value::of_binary(*bytes))) : std::nullopt;
}

// 8-4-4-4-12 hex digits.
std::optional<literal> read_guid(std::string_view body) {
    if (body.size() != 36 || body[8] != '-' || body[13] != '-' || body[18] != '-' || body[23] != '-') {
        return std::nullopt;
    }
    std::string digits;
    for (auto [from, count] : {std::pair{0, 8}, {9, 4}, {14, 4}, {19, 4}, {24, 12}}) {
        digits += body.substr(from, count);
    }
    const auto bytes = read_hex(digits);
    if (!bytes) {
        return std::nullopt;
    }
    tables::guid g;
    bytes->copy(reinterpret_cast<char*>(g.bytes.data()), g.bytes.size());
    return literal(value::of_guid(g));
}

std::optional<literal> read_datetime(std::string_view body) {
    const auto tick = base::parse_time(body);
    return tick ? std::optional(literal(value::of_datetime(*tick))) : std::nullopt;
}

template <class T>
std::optional<T> from_text(std::string_view text) {
    T number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::optional<literal> read_integer(std::string_view digits, bool is_long) {
    const auto number = from_text<int64_t>(digits);
    if (!number) {
        return std::nullopt;
    }
    if (is_long || *number < std::numeric_limits<int32_t>::min() || *number > std::numeric_limits<int32_t>::max()) {
        return literal(value::of_int64(*number));
    }
    return literal(value::of_int32(static_cast<int32_t>(*number)));
}

// Drops a run of digits off the front; false when there is none.
bool skip_digits(std::string_view& rest) {
    const size_t count = std::min(rest.find_first_not_of("0123456789"), rest.size());
    rest.remove_prefix(count);
    return count > 0;
}

// [-] 1*digit [. 1*digit] [e [+-] 1*digit], nothing else: from_chars alone would take ".5", "5." and "infinity" as well.
bool is_plain_number(std::string_view text, bool& is_integer) {
    if (text.starts_with('-')) {
        text.remove_prefix(1);
    }
    if (!skip_digits(text)) {
        return false;
    }
    is_integer = text.empty();
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        if (!skip_digits(text)) {
            return false;
        }
    }
    if (text.starts_with('e') || text.starts_with('E')) {
        text.remove_prefix(1);
        if (text.starts_with('+') || text.starts_with('-')) {
            text.remove_prefix(1);
        }
        return skip_digits(text) && text.empty();
    }
    return text.empty();
}

std::optional<literal> read_number(std::string_view text) {
    assert(!text.empty());
    if (text == "-INF") {
        return literal(value::of_real(-std::numeric_limits<double>::infinity()));
    }
    const char suffix = std::string_view("LlDdFfMm").contains(text.back()) ? static_cast<char>(text.back() | 0x20) : '\0';
    if (suffix != '\0') {
        text.remove_suffix(1);
    }
    bool is_integer = false;
    if (!is_plain_number(text, is_integer) || (suffix == 'l' && !is_integer)) {
        return std::nullopt;
    }
    if (is_integer && (suffix == 'l' || suffix == '\0')) {
        return read_integer(text, suffix == 'l');
    }
    const auto number = from_text<double>(text);
    return number ? std::optional(literal(value::of_real(*number))) : std::nullopt;
}

} // namespace

std::string unquote(std::string_view quoted, char quote) {
    assert(quoted.size() >= 2 && quoted.front() == quote && quoted.back() == quote);
    quoted = quoted.substr(1, quoted.size() - 2);
    std::string text;
    text.reserve(quoted.size());
    for (size_t i = 0; i < quoted.size(); ++i) {
        text.push_back(quoted[i]);
        i += quoted[i] == quote; // the second of a pair
    }
    return text;
}

std::string_view quoted_body(const token& t) {
    const size_t open = t.text.find('\'');
    assert(open != std::string_view::npos && t.text.size() >= open + 2);
    return t.text.substr(open + 1, t.text.size() - open - 2);
}

std::optional<literal> read_literal(const token& t) {
    switch (t.kind) {
    case token_kind::string: return literal(value::of_string(unquote(t.text, '\'')));
    case token_kind::datetime: return read_datetime(quoted_body(t));
    case token_kind::guid: return read_guid(quoted_body(t));
    case token_kind::binary: return read_binary(quoted_body(t));
    case token_kind::number: return read_number(t.text);
    default: return std::nullopt;
    }
}

} // namespace query
