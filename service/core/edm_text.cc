#include "service/core/edm_text.hh"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "http/core/request_head.hh"

namespace service {
namespace {

struct type_row {
    tables::value_type type;
    std::string_view name;
};

constexpr std::array type_rows{
    type_row{tables::value_type::string, "Edm.String"},   type_row{tables::value_type::int32, "Edm.Int32"},
    type_row{tables::value_type::int64, "Edm.Int64"},     type_row{tables::value_type::real, "Edm.Double"},
    type_row{tables::value_type::boolean, "Edm.Boolean"}, type_row{tables::value_type::datetime, "Edm.DateTime"},
    type_row{tables::value_type::guid, "Edm.Guid"},       type_row{tables::value_type::binary, "Edm.Binary"},
};

// For a decimal number that does not fit a double: is it too large (or too small)?
bool is_too_large(std::string_view number) {
    const size_t mark = number.find_first_of("eE");
    const auto mantissa = number.substr(0, mark);
    // How many digits stand before the point, counted from the first that is not zero; negative below one.
    const size_t first = mantissa.find_first_not_of("-0.");
    const size_t point = std::min(mantissa.find('.'), mantissa.size());
    if (first == std::string_view::npos) {
        return false;
    }
    const auto magnitude = static_cast<int64_t>(point) - static_cast<int64_t>(first);
    if (mark == std::string_view::npos) {
        return magnitude > 0;
    }
    auto digits = number.substr(mark + 1);
    const bool is_negative = digits.starts_with('-');
    if (digits.starts_with('+')) {
        digits.remove_prefix(1);
    }
    int64_t exponent = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec != std::errc{}) {
        return !is_negative; // the exponent itself has too many digits
    }
    return exponent > -magnitude;
}

int hex_value(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    const char lower = static_cast<char>(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

constexpr size_t guid_characters = 36;
constexpr bool is_dash_of_guid(size_t at) {
    return at == 8 || at == 13 || at == 18 || at == 23;
}

} // namespace

std::optional<tables::value_type> edm_type_of(std::string_view name) {
    const auto row = std::ranges::find(type_rows, name, &type_row::name);
    return row == type_rows.end() ? std::nullopt : std::optional(row->type);
}

std::string_view edm_name(tables::value_type type) {
    return std::ranges::find(type_rows, type, &type_row::type)->name;
}

std::optional<int64_t> parse_integer(std::string_view text) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<double> parse_finite(std::string_view text) {
    const auto digits = text.starts_with('-') ? text.substr(1) : text;
    if (digits.empty() || !std::string_view("0123456789.").contains(digits.front())) {
        return std::nullopt; // from_chars would also read "inf" and "nan"
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || error == std::errc::invalid_argument) {
        return std::nullopt;
    }
    if (error == std::errc::result_out_of_range) {
        return is_too_large(text) ? std::nullopt : std::optional(text.starts_with('-') ? -0.0 : 0.0);
    }
    return value;
}

std::optional<double> parse_real(std::string_view text) {
    using limits = std::numeric_limits<double>;
    if (text == "NaN") {
        return limits::quiet_NaN();
    }
    if (text == "Infinity") {
        return limits::infinity();
    }
    if (text == "-Infinity") {
        return -limits::infinity();
    }
    return parse_finite(text);
}

std::optional<bool> parse_boolean(std::string_view text) {
    if (http::equal_ignoring_case(text, "true")) {
        return true;
    }
    return http::equal_ignoring_case(text, "false") ? std::optional(false) : std::nullopt;
}

std::optional<base::tick> parse_datetime(std::string_view text) {
    // base::parse_time also reads a date alone and times without seconds, which are no DateTimes.
    constexpr size_t seconds_end = 19;
    if (text.size() < seconds_end || text[10] != 'T' || text[16] != ':') {
        return std::nullopt;
    }
    return base::parse_time(text);
}

std::optional<tables::guid> parse_guid(std::string_view text) {
    if (text.size() != guid_characters) {
        return std::nullopt;
    }
    tables::guid result;
    size_t nibbles = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        if (is_dash_of_guid(i)) {
            if (text[i] != '-') {
                return std::nullopt;
            }
            continue;
        }
        const int nibble = hex_value(text[i]);
        if (nibble < 0) {
            return std::nullopt;
        }
        auto& byte = result.bytes[nibbles / 2];
        byte = static_cast<uint8_t>(byte << 4 | nibble);
        ++nibbles;
    }
    return result;
}

void put_guid(text_sink& out, const tables::guid& value) {
    constexpr std::string_view digits = "0123456789abcdef";
    char* at = out.room(guid_characters);
    size_t written = 0;
    for (const uint8_t byte : value.bytes) {
        if (is_dash_of_guid(written)) {
            at[written++] = '-';
        }
        at[written++] = digits[byte >> 4];
        at[written++] = digits[byte & 15];
    }
    out.advance_to(at + written);
}

} // namespace service
