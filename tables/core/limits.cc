#include "tables/core/limits.hh"

#include <algorithm>

#include <fmt/format.h>

#include "tables/core/identifier.hh"
#include "tables/core/unicode.hh"

namespace tables {
namespace {

constexpr size_t entity_overhead_bytes = 4;
constexpr size_t property_overhead_bytes = 8;
constexpr size_t text_length_bytes = 4; // charged for the length of a String or Binary
constexpr size_t unit_bytes = 2;

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_letter_or_digit(char c) {
    return is_letter(c) || (c >= '0' && c <= '9');
}

bool is_reserved(std::string_view table_name) {
    return std::ranges::equal(table_name, std::string_view("tables"), {},
                              [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
}

// A text of at most `units` bytes has at most as many units: nearly every text is settled without counting.
bool is_longer(std::string_view utf8, size_t units) {
    return utf8.size() > units && utf16_length(utf8) > units;
}

size_t value_bytes(const value& v) {
    switch (v.type()) {
    case value_type::string: return text_length_bytes + unit_bytes * utf16_length(v.as_string());
    case value_type::binary: return text_length_bytes + v.as_binary().size();
    default: return fixed_width(v.type());
    }
}

base::expected<void> about(std::string_view name, base::expected<void> checked) {
    if (!checked) {
        checked.error().detail = fmt::format("property {}: {}", name, checked.error().detail);
    }
    return checked;
}

// A bad name is not repeated in the error: it may be endless, or not even text.
base::expected<void> check_property(const property& p) {
    if (auto checked = check_property_name(p.name); !checked) {
        return checked;
    }
    return about(p.name, check_value(p.value));
}

} // namespace

base::expected<void> check_table_name(std::string_view name) {
    if (name.size() < table_name_min || name.size() > table_name_max) {
        return base::fail(base::errc::table_name_length,
                          fmt::format("a table name has {} to {} characters", table_name_min, table_name_max));
    }
    if (!is_letter(name.front()) || !std::ranges::all_of(name, is_letter_or_digit)) {
        return base::fail(base::errc::table_name_invalid, "a table name is a letter followed by letters and digits");
    }
    if (is_reserved(name)) {
        return base::fail(base::errc::table_name_reserved, "this name belongs to the list of tables");
    }
    return {};
}

base::expected<void> check_property_name(std::string_view name) {
    if (is_longer(name, property_name_units_max)) {
        return base::fail(base::errc::property_name_too_long,
                          fmt::format("a property name has at most {} UTF-16 units", property_name_units_max));
    }
    if (!is_identifier(name)) {
        return base::fail(base::errc::property_name_invalid, "a property name is a C# identifier");
    }
    return {};
}

base::expected<void> check_value(const value& v) {
    switch (v.type()) {
    case value_type::string:
        if (is_longer(v.as_string(), string_units_max)) {
            return base::fail(base::errc::property_value_too_large,
                              fmt::format("a String has at most {} UTF-16 units", string_units_max));
        }
        if (!is_utf8(v.as_string())) {
            return base::fail(base::errc::invalid_argument, "a String must be valid UTF-8");
        }
        return {};
    case value_type::binary:
        if (v.as_binary().size() > binary_bytes_max) {
            return base::fail(base::errc::property_value_too_large,
                              fmt::format("a Binary has at most {} bytes", binary_bytes_max));
        }
        return {};
    case value_type::datetime:
        if (v.as_datetime() < base::datetime_min || v.as_datetime() > base::tick_max) {
            return base::fail(base::errc::value_out_of_range, "a DateTime lies in the years 1601 to 9999");
        }
        return {};
    default: return {};
    }
}

size_t property_bytes(const property& p) {
    return property_overhead_bytes + unit_bytes * utf16_length(p.name) + value_bytes(p.value);
}

size_t entity_bytes(size_t key_units, std::span<const property> properties) {
    size_t bytes = entity_overhead_bytes + unit_bytes * key_units;
    for (const auto& p : properties) {
        bytes += property_bytes(p);
    }
    return bytes;
}

size_t entity_bytes_bound(size_t key_bytes, const row_view& row) {
    size_t bytes = entity_overhead_bytes + unit_bytes * (key_bytes + row.bytes().size());
    for (size_t i = 0; i < row.size(); ++i) {
        bytes += property_overhead_bytes + unit_bytes * row.of_shape()[i].name.size();
    }
    return bytes;
}

base::expected<void> check_entity(std::string_view partition_key, std::string_view row_key,
                                  std::span<const property> properties) {
    if (auto checked = about("PartitionKey", check_key(partition_key)); !checked) {
        return checked;
    }
    if (auto checked = about("RowKey", check_key(row_key)); !checked) {
        return checked;
    }
    if (properties.size() > properties_max) {
        return base::fail(base::errc::too_many_properties, fmt::format("an entity has at most {} properties", properties_max));
    }
    for (const auto& p : properties) {
        if (auto checked = check_property(p); !checked) {
            return checked;
        }
    }
    if (entity_bytes(utf16_length(partition_key) + utf16_length(row_key), properties) > entity_bytes_max) {
        return base::fail(base::errc::entity_too_large, fmt::format("an entity has at most {} bytes", entity_bytes_max));
    }
    return {};
}

} // namespace tables
