// Who is asking, and may they? Decided before a request does anything.
#pragma once

#include <span>

#include "service/account.hh"
#include "service/core/sas.hh"
#include "service/table_call.hh"

namespace service {

// Sets call.grant for a shared access signature; without one the caller holds an account key and may do everything. `policies` are
// the stored ones of the table that the signature is for.
outcome<void> admit(table_call& call, std::span<const account> accounts, std::span<const signed_identifier> policies);

// For each write of an entity, also inside a transaction.
outcome<void> check_write(const table_call& call, operation, std::string_view table, std::string_view partition_key, std::string_view row_key);

} // namespace service
