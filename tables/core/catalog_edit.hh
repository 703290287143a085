// One change of the catalog, as a value and as bytes. The catalog's history is an edit log (shard/edit_log.hh); an edit is its
// commit point: a table exists from the edit that creates it to the edit that drops it.
//
//   edit      = kind u8, body
//   create    = 1, id varint, created ticks u64, account bytes, name bytes, has_family u8,
//               [ family bytes, period u8, period start ticks u64, spread varint ]
//   drop      = 2, id varint
//   next id   = 3, id varint                        ids below are spent, also when their tables are gone
//   attribute = 4, table id varint (0: the account's own), account bytes, key bytes, value bytes (empty: removed)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/error.hh"
#include "base/ids.hh"
#include "base/ticks.hh"
#include "tables/core/period.hh"

namespace tables {

// What makes a table a period table of a family.
struct family_binding {
    std::string family; // its real name; the table's name is made from it
    period_kind period = period_kind::day;
    base::tick period_start;
    uint32_t spread = 1;

    bool operator==(const family_binding&) const = default;
};

struct table_info {
    base::table_id id;
    base::tick created;
    std::string account;
    std::string name; // in the spelling of its creation
    std::optional<family_binding> family;

    bool operator==(const table_info&) const = default;
};

struct create_table_edit {
    table_info table;
    bool operator==(const create_table_edit&) const = default;
};
struct drop_table_edit {
    base::table_id id;
    bool operator==(const drop_table_edit&) const = default;
};
struct next_id_edit {
    base::table_id id;
    bool operator==(const next_id_edit&) const = default;
};
// Small facts that hang on a table or an account: access policies, service properties. They go with their table.
struct attribute_edit {
    base::table_id id; // 0: of the account
    std::string account;
    std::string key;
    std::string value;
    bool operator==(const attribute_edit&) const = default;
};

using catalog_edit = std::variant<create_table_edit, drop_table_edit, next_id_edit, attribute_edit>;

std::string encode(const catalog_edit&);
base::expected<catalog_edit> decode_catalog_edit(std::string_view);

} // namespace tables
