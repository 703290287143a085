// What the world can do to us, as values. Exceptions are kept for what cannot go on.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace base {

enum class errc : uint8_t {
    // the machine
    io_error,      // a read, write or flush failed
    out_of_space,  // the disk is full or down to its reserve
    corrupt,       // bytes fail their checksum or do not parse
    newer_format,  // written by a later version of this program
    log_failed,    // a flush of the log failed: this shard acknowledges nothing until a restart
    busy,          // a budget is used up; try again later
    timed_out,     // not done within the time allowed
    shutting_down, // the server is stopping
    // what was asked
    invalid_argument,
    unauthorized,
    not_implemented,
    // tables
    table_not_found,
    table_exists,
    table_name_length,   // not 3..63 characters
    table_name_invalid,  // not a letter followed by letters and digits
    table_name_reserved, // "tables"
    too_many_tables,
    // entities
    entity_not_found,
    entity_exists,
    condition_not_met, // the ETag given is not the current one
    entity_too_large,
    too_many_properties,
    property_name_invalid,
    property_name_too_long,
    property_value_too_large,
    key_too_long,
    key_invalid,        // a character a key cannot hold
    value_out_of_range, // a DateTime before 1601
    // transactions
    transaction_empty,
    transaction_too_long, // over 100 operations
    transaction_too_large,
    transaction_partitions,    // more than one PartitionKey
    transaction_duplicate_row, // one row twice
    // points
    point_expired,   // for a period that retention has dropped
    point_in_future, // more than a day ahead
    too_many_series,
    too_many_families,
};

std::string_view name(errc);

struct error {
    errc code;
    std::string detail; // for a person: what, where, and what to do about it

    bool operator==(const error&) const = default;
};

template <class T>
using expected = std::expected<T, error>;

inline std::unexpected<error> fail(errc code, std::string detail = {}) {
    return std::unexpected(error{code, std::move(detail)});
}

// "code: detail", or the code alone.
std::string to_string(const error&);

} // namespace base
