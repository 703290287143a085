#include "tables/core/family/series.hh"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "base/digits.hh"
#include "base/take.hh"

namespace tables {
namespace {

// ASCII that cannot stand in a name or value as it is. U+0080..9F, two bytes each, are seen to apart.
constexpr auto is_special = [] {
    std::array<bool, 256> table{};
    for (unsigned c = 0; c < 0x20; ++c) {
        table[c] = true;
    }
    table[0x7f] = true;
    for (unsigned char c : {'/', '\\', '#', '?', '%', ',', '=', '~'}) {
        table[c] = true;
    }
    return table;
}();

bool is_c1_control(std::string_view text, size_t at) {
    return static_cast<uint8_t>(text[at]) == 0xc2 && at + 1 < text.size() && static_cast<uint8_t>(text[at + 1]) < 0xa0;
}

void append_escaped_byte(char c, std::string& out) {
    const auto byte = static_cast<uint8_t>(c);
    out += '%';
    out += base::upper_hex_digits[byte >> 4];
    out += base::upper_hex_digits[byte & 15];
}

void append_escaped(std::string_view text, std::string& out) {
    size_t copied = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const bool is_pair = is_c1_control(text, i);
        if (!is_pair && !is_special[static_cast<uint8_t>(text[i])]) {
            continue;
        }
        out += text.substr(copied, i - copied);
        append_escaped_byte(text[i], out);
        if (is_pair) {
            append_escaped_byte(text[++i], out);
        }
        copied = i + 1;
    }
    out += text.substr(copied);
}

int hex_value(char c) {
    const size_t value = base::upper_hex_digits.find(c);
    return value == base::upper_hex_digits.npos ? -1 : static_cast<int>(value);
}

// Nothing when a % is not followed by two digits.
std::optional<std::string_view> unescape(std::string_view text, base::text_arena& texts) {
    if (!text.contains('%')) {
        return text;
    }
    char* const out = texts.allocate(text.size());
    char* to = out;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            *to++ = text[i];
            continue;
        }
        if (text.size() - i < 3 || hex_value(text[i + 1]) < 0 || hex_value(text[i + 2]) < 0) {
            return std::nullopt;
        }
        *to++ = static_cast<char>(hex_value(text[i + 1]) << 4 | hex_value(text[i + 2]));
        i += 2;
    }
    return std::string_view(out, to);
}

bool is_sorted(std::span<const tag> tags) {
    return std::ranges::is_sorted(tags, {}, &tag::name);
}

} // namespace

bool append_series(std::span<const tag> tags, std::string& out) {
    std::array<uint8_t, tags_max> order;
    const auto used = std::span(order).first(tags.size());
    std::iota(used.begin(), used.end(), uint8_t{0});
    if (!is_sorted(tags)) {
        std::ranges::sort(used, {}, [&](uint8_t i) { return tags[i].name; });
    }
    const size_t before = out.size();
    for (const auto i : used) {
        if (out.size() != before) {
            out += ',';
        }
        append_escaped(tags[i].name, out);
        out += '=';
        append_escaped(tags[i].value, out);
    }
    const auto series = std::string_view(out).substr(before);
    // Never more units than bytes: most need not be counted.
    if (series.size() > series_units_max && utf16_length(series) > series_units_max) {
        out.resize(before);
        return false;
    }
    return true;
}

bool is_series(std::string_view raw, std::span<const tag> tags) {
    // With a comma or an equals sign behind each name and value but the last, and nothing else: protocols that have another
    // form, and escapes, come out longer or shorter.
    size_t size = 0;
    for (const auto& t : tags) {
        size += t.name.size() + t.value.size() + 2;
    }
    if (raw.size() + 1 != size || raw.size() > series_units_max || !is_sorted(tags)) {
        return false;
    }
    return std::ranges::all_of(raw, [](char c) {
        return c == ',' || c == '=' || (static_cast<signed char>(c) > 0 && !is_special[static_cast<uint8_t>(c)]);
    });
}

bool parse_series(std::string_view series, std::vector<tag>& tags, base::text_arena& texts) {
    tags.clear();
    while (!series.empty()) {
        const auto part = series.substr(0, series.find(','));
        const size_t equals = part.find('=');
        if (equals == part.npos || part.find('=', equals + 1) != part.npos) {
            return false;
        }
        const auto name = unescape(part.substr(0, equals), texts);
        const auto value = unescape(part.substr(equals + 1), texts);
        if (!name || !value || name->empty() || value->empty()) {
            return false;
        }
        tags.push_back({*name, *value});
        series.remove_prefix(part.size());
        if (base::take(series, ',') && series.empty()) {
            return false;
        }
    }
    return true;
}

} // namespace tables
