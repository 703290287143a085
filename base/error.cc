#include "base/error.hh"

namespace base {

std::string_view name(errc code) {
    switch (code) {
    case errc::io_error: return "io_error";
    case errc::out_of_space: return "out_of_space";
    case errc::corrupt: return "corrupt";
    case errc::newer_format: return "newer_format";
    case errc::log_failed: return "log_failed";
    case errc::busy: return "busy";
    case errc::timed_out: return "timed_out";
    case errc::shutting_down: return "shutting_down";
    case errc::invalid_argument: return "invalid_argument";
    case errc::unauthorized: return "unauthorized";
    case errc::not_implemented: return "not_implemented";
    case errc::table_not_found: return "table_not_found";
    case errc::table_exists: return "table_exists";
    case errc::table_name_length: return "table_name_length";
    case errc::table_name_invalid: return "table_name_invalid";
    case errc::table_name_reserved: return "table_name_reserved";
    case errc::too_many_tables: return "too_many_tables";
    case errc::entity_not_found: return "entity_not_found";
    case errc::entity_exists: return "entity_exists";
    case errc::condition_not_met: return "condition_not_met";
    case errc::entity_too_large: return "entity_too_large";
    case errc::too_many_properties: return "too_many_properties";
    case errc::property_name_invalid: return "property_name_invalid";
    case errc::property_name_too_long: return "property_name_too_long";
    case errc::property_value_too_large: return "property_value_too_large";
    case errc::key_too_long: return "key_too_long";
    case errc::key_invalid: return "key_invalid";
    case errc::value_out_of_range: return "value_out_of_range";
    case errc::transaction_empty: return "transaction_empty";
    case errc::transaction_too_long: return "transaction_too_long";
    case errc::transaction_too_large: return "transaction_too_large";
    case errc::transaction_partitions: return "transaction_partitions";
    case errc::transaction_duplicate_row: return "transaction_duplicate_row";
    case errc::point_expired: return "point_expired";
    case errc::point_in_future: return "point_in_future";
    case errc::too_many_series: return "too_many_series";
    case errc::too_many_families: return "too_many_families";
    }
    return "unknown";
}

std::string to_string(const error& e) {
    std::string text(name(e.code));
    return e.detail.empty() ? text : text + ": " + e.detail;
}

} // namespace base
