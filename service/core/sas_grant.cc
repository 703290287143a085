#include "service/core/sas_grant.hh"

#include <algorithm>
#include <array>

#include "http/core/request_head.hh"
#include "tables/core/key.hh"

namespace service {
namespace {

// What an operation needs. Operations without a row are never granted.
struct grant_row {
    operation wanted;
    uint32_t types;       // of an account SAS: one of these
    uint32_t all_letters; // every one of these
    uint32_t any_letters; // and, if there are some, one of these
    bool is_in_table_sas;
};

constexpr std::array grant_rows{
    grant_row{operation::get_properties, letter_bits("s"), letter_bits("r"), 0, false},
    grant_row{operation::get_stats, letter_bits("s"), letter_bits("r"), 0, false},
    grant_row{operation::set_properties, letter_bits("s"), letter_bits("w"), 0, false},
    grant_row{operation::query_tables, letter_bits("c"), letter_bits("l"), 0, false},
    grant_row{operation::get_table, letter_bits("c"), letter_bits("l"), 0, false},
    grant_row{operation::create_table, letter_bits("c"), 0, letter_bits("cw"), false},
    grant_row{operation::delete_table, letter_bits("c"), letter_bits("d"), 0, false},
    // Clients of the emulator ask for queries with the container type.
    grant_row{operation::query_entities, letter_bits("co"), letter_bits("r"), 0, true},
    grant_row{operation::get_entity, letter_bits("o"), letter_bits("r"), 0, true},
    grant_row{operation::insert_entity, letter_bits("o"), letter_bits("a"), 0, true},
    grant_row{operation::replace_entity, letter_bits("o"), letter_bits("u"), 0, true},
    grant_row{operation::merge_entity, letter_bits("o"), letter_bits("u"), 0, true},
    grant_row{operation::insert_or_replace_entity, letter_bits("o"), letter_bits("au"), 0, true},
    grant_row{operation::insert_or_merge_entity, letter_bits("o"), letter_bits("au"), 0, true},
    grant_row{operation::delete_entity, letter_bits("o"), letter_bits("d"), 0, true},
};

} // namespace

bool sas_grant::covers(std::string_view partition_key, std::string_view row_key) const {
    return range.contains(tables::collate(partition_key), tables::collate(row_key));
}

outcome<void> check_operation(const sas_grant& grant, operation wanted, std::string_view table) {
    if (wanted == operation::batch) {
        return {};
    }
    const auto row = std::ranges::find(grant_rows, wanted, &grant_row::wanted);
    if (row == grant_rows.end()) {
        return refuse(service_code::authorization_failure);
    }
    if (grant.is_for_account) {
        if ((grant.types & row->types) == 0) {
            return refuse(service_code::authorization_resource_type_mismatch);
        }
    } else if (!row->is_in_table_sas || !http::equal_ignoring_case(table, grant.table)) {
        return refuse(service_code::authorization_failure);
    }
    const bool has_all = (grant.permissions & row->all_letters) == row->all_letters;
    const bool has_any = row->any_letters == 0 || (grant.permissions & row->any_letters) != 0;
    return has_all && has_any ? outcome<void>() : refuse(service_code::authorization_permission_mismatch);
}

outcome<void> check_written_key(const sas_grant& grant, std::string_view partition_key, std::string_view row_key) {
    return grant.covers(partition_key, row_key) ? outcome<void>() : refuse(service_code::authorization_failure);
}

} // namespace service
