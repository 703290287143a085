// The limits of the Table service on tables and entities, each with its own error. Lengths count UTF-16 units, as the service
// does, whatever the bytes are here. Keys are in key.hh.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/error.hh"
#include "tables/core/key.hh"
#include "tables/core/row.hh"

namespace tables {

constexpr size_t table_name_min = 3;
constexpr size_t table_name_max = 63;
constexpr size_t properties_max = 252;
constexpr size_t property_name_units_max = 255;
constexpr size_t string_units_max = 32'768;
constexpr size_t binary_bytes_max = 65'536;
constexpr size_t entity_bytes_max = 1'048'576; // by the formula of entity_bytes(), not what it takes here

// A letter, then letters and digits: table_name_length, table_name_invalid, table_name_reserved, asked in this order.
base::expected<void> check_table_name(std::string_view);

// property_name_too_long, property_name_invalid.
base::expected<void> check_property_name(std::string_view);
// property_value_too_large; value_out_of_range for a DateTime before 1601 or after 9999; invalid_argument for a String that is
// not UTF-8.
base::expected<void> check_value(const value&);

// The size the service charges: 4 + 2 * (units of both keys) + the sum over property_bytes.
size_t entity_bytes(size_t key_units, std::span<const property>);
// 8 + 2 * (units of the name) + the value.
size_t property_bytes(const property&);

// Never less than entity_bytes of this row and quick to say: no text is looked at. `key_bytes` is of both keys.
size_t entity_bytes_bound(size_t key_bytes, const row_view&);

// A whole entity as a client wrote it: check_key on both keys, too_many_properties, names, values, entity_too_large. The first
// thing wrong, in this order, is the error; the detail names the key, or the property whose value is wrong.
base::expected<void> check_entity(std::string_view partition_key, std::string_view row_key, std::span<const property>);

} // namespace tables
