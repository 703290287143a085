// Who is asking, and may they? Decided before a request does anything.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <seastar/net/socket_defs.hh>

#include "service/account.hh"
#include "service/core/sas.hh"
#include "service/table_call.hh"

namespace service {

// Sets call.grant for a shared access signature; without one the caller holds an account key and may do everything. `policies`
// are the stored ones of the table that the signature is for.
outcome<void> admit(table_call& call, std::span<const account> accounts, std::span<const signed_identifier> policies);

// Of a client; nothing for one that has none. A range of a signature (`sip`) has IPv4 addresses only.
std::optional<uint32_t> ipv4_of(const seastar::socket_address& peer);

// For each write of an entity, also inside a transaction.
outcome<void> check_write(const table_call& call, operation, std::string_view table, std::string_view partition_key,
                          std::string_view row_key);

} // namespace service
