#include "service/access.hh"

#include <algorithm>

#include <arpa/inet.h>

#include "service/core/entity_write.hh"
#include "service/core/signature.hh"

namespace service {
namespace {

signed_request signed_parts(const table_call& call) {
    return {.method = call.request.head.method,
            .content_md5 = call.header("content-md5").value_or(""),
            .content_type = call.header("content-type").value_or(""),
            .x_ms_date = call.header("x-ms-date"),
            .date = call.header("date"),
            .raw_path = call.request.head.path,
            .comp = call.query.get("comp")};
}

} // namespace

std::optional<uint32_t> ipv4_of(const seastar::socket_address& peer) {
    switch (peer.family()) {
    case AF_INET: return ntohl(peer.as_posix_sockaddr_in().sin_addr.s_addr);
    case AF_INET6: return ipv4_of_mapped(std::span<const uint8_t, 16>(peer.as_posix_sockaddr_in6().sin6_addr.s6_addr));
    default: return std::nullopt;
    }
}

outcome<void> admit(table_call& call, std::span<const account> accounts, std::span<const signed_identifier> policies) {
    const auto owner = std::ranges::find(accounts, call.account.account, &account::name);
    if (owner == accounts.end()) {
        return refuse(service_code::resource_not_found);
    }
    const account_secrets secrets{owner->name, owner->keys};
    if (const auto header = call.header("authorization")) {
        const auto parsed = parse_authorization(*header);
        return parsed ? authenticate(*parsed, signed_parts(call), secrets, {.now = call.now}) : std::unexpected(parsed.error());
    }
    const auto sas = find_sas(call.query);
    if (!sas) {
        return refuse(service_code::authentication_failed);
    }
    auto grant = verify_sas(*sas, secrets, {call.now, ipv4_of(call.request.peer), call.request.is_secure, policies});
    if (!grant) {
        return std::unexpected(grant.error());
    }
    call.grant = std::move(*grant);
    return check_operation(*call.grant, call.op, table_of(call.what));
}

outcome<void> check_write(const table_call& call, operation op, std::string_view table, std::string_view partition_key,
                          std::string_view row_key) {
    if (!call.grant) {
        return {};
    }
    if (auto allowed = check_operation(*call.grant, op, table); !allowed) {
        return allowed;
    }
    return check_written_key(*call.grant, partition_key, row_key);
}

} // namespace service
