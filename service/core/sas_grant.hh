// What a valid shared access signature allows, and the questions asked of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "service/core/operation.hh"
#include "service/core/service_error.hh"
#include "tables/core/key_range.hh"

namespace service {

// A set of letters as SAS fields have them, one bit for each from 'a' to 'z'; other characters are not in any set.
constexpr uint32_t letter_bits(std::string_view letters) {
    uint32_t bits = 0;
    for (const char c : letters) {
        bits |= c >= 'a' && c <= 'z' ? 1u << (c - 'a') : 0;
    }
    return bits;
}

struct sas_grant {
    bool is_for_account = false;
    uint32_t permissions = 0; // letter_bits
    uint32_t types = 0;       // letter_bits of an account SAS
    std::string table;        // of a table SAS, in lower case
    tables::key_range range;  // of a table SAS; everything without limits

    // Rows outside are not there to read, and forbidden to write. Keys as the client wrote them.
    bool covers(std::string_view partition_key, std::string_view row_key) const;
};

// Is this operation one of those granted? `table` is the one of the URL, empty for none. A batch is always let through here:
// ask again for each of its operations. AuthorizationFailure, AuthorizationResourceTypeMismatch,
// AuthorizationPermissionMismatch.
outcome<void> check_operation(const sas_grant&, operation, std::string_view table);
// For every write of an entity. AuthorizationFailure.
outcome<void> check_written_key(const sas_grant&, std::string_view partition_key, std::string_view row_key);

} // namespace service
