#include "query/core/native/json_text.hh"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "tables/core/unicode.hh"

namespace query {
namespace {

using tables::value;
using tables::value_type;

template <class Number>
void append_number(Number number, std::string& out) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, number).ptr;
    out.append(text, end);
}

void append_guid(const tables::guid& guid, std::string& out) {
    for (size_t i = 0; i < guid.bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            out += '-';
        }
        fmt::format_to(std::back_inserter(out), "{:02x}", guid.bytes[i]);
    }
}

void append_base64(std::string_view bytes, std::string& out) {
    static constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes.size(); i += 3) {
        uint32_t group = 0;
        for (size_t k = 0; k < 3; ++k) {
            group = group << 8 | (i + k < bytes.size() ? static_cast<uint8_t>(bytes[i + k]) : 0u);
        }
        for (size_t k = 0; k < 4; ++k) {
            out += i + k > bytes.size() ? '=' : letters[group >> (18 - 6 * k) & 63];
        }
    }
}

bool is_text(value_type type) {
    return type == value_type::string || type == value_type::datetime || type == value_type::guid || type == value_type::binary;
}

bool is_null(const value& v) {
    return v.type() == value_type::real && !std::isfinite(v.as_real());
}

} // namespace

void append_json_string(std::string_view utf8, std::string& out) {
    out += '"';
    size_t copied = 0;
    for (size_t i = 0; i < utf8.size(); ++i) {
        const char c = utf8[i];
        if (static_cast<uint8_t>(c) >= 0x20 && c != '"' && c != '\\') [[likely]] {
            continue;
        }
        out += utf8.substr(copied, i - copied);
        copied = i + 1;
        switch (c) {
        case '"': out += "\\\""; break;
        case '\\': out += "\\\\"; break;
        case '\n': out += "\\n"; break;
        case '\r': out += "\\r"; break;
        case '\t': out += "\\t"; break;
        default: fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
        }
    }
    out += utf8.substr(copied);
    out += '"';
}

std::string json_string(std::string_view bytes) {
    std::string out;
    append_json_string(tables::is_utf8(bytes) ? bytes : tables::repaired_utf8(bytes), out);
    return out;
}

void append_plain_value(const value& v, std::string& out) {
    switch (v.type()) {
    case value_type::string: out += v.as_string(); break;
    case value_type::int32: append_number(v.as_int32(), out); break;
    case value_type::int64: append_number(v.as_int64(), out); break;
    case value_type::real:
        if (!is_null(v)) {
            append_number(v.as_real(), out);
        }
        break;
    case value_type::boolean: out += v.as_boolean() ? "true" : "false"; break;
    case value_type::datetime: out += base::to_text(v.as_datetime()); break;
    case value_type::guid: append_guid(v.as_guid(), out); break;
    case value_type::binary: append_base64(v.as_binary(), out); break;
    }
}

// A Double says that it is one, or whoever reads it back has a whole number where there was none.
static void append_json_real(double real, std::string& out) {
    const auto begin = out.size();
    append_number(real, out);
    if (std::string_view(out).substr(begin).find_first_of(".e") == std::string_view::npos) {
        out += ".0";
    }
}

void append_json_value(const value& v, std::string& out) {
    if (v.type() == value_type::string) {
        append_json_string(v.as_string(), out);
    } else if (is_null(v)) {
        out += "null";
    } else if (v.type() == value_type::real) {
        append_json_real(v.as_real(), out);
    } else if (is_text(v.type())) {
        out += '"';
        append_plain_value(v, out);
        out += '"';
    } else {
        append_plain_value(v, out);
    }
}

} // namespace query
