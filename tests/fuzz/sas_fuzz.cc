// A query string, and what it grants. Without the key nothing is granted; signed with it, the grant is what the fields say and
// an Authorization header made of the same bytes opens nothing.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "service/core/sas.hh"

namespace {

const std::vector<std::string> keys{"the key of the fuzz target"};
const service::account_secrets account{"acct", keys};
const base::tick now = *base::parse_time("2026-11-16T12:00:00Z");

void check_unsigned(const service::sas_parameters& sas, const service::sas_facts& facts) {
    if (service::verify_sas(sas, account, facts)) {
        std::abort(); // guessing a signature of 32 bytes is not what fuzzers can do
    }
}

void check_signed(service::sas_parameters sas, const service::sas_facts& facts) {
    const auto signature = service::sign(keys[0], service::string_to_sign(sas, account.name));
    sas.signature = signature;
    const auto grant = service::verify_sas(sas, account, facts);
    if (!grant) {
        return;
    }
    const bool reads = service::check_operation(*grant, service::operation::get_entity, sas.table).has_value();
    if (reads && (grant->permissions & service::letter_bits("r")) == 0) {
        std::abort();
    }
    if (!grant->is_for_account && service::check_operation(*grant, service::operation::create_table, sas.table)) {
        std::abort();
    }
    if (service::check_operation(*grant, service::operation::set_acl, sas.table)) {
        std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    if (const auto header = service::parse_authorization(input)) {
        const service::signed_request request{
            .method = "GET", .x_ms_date = "Mon, 16 Nov 2026 12:00:00 GMT", .raw_path = "/acct/T"};
        if (service::authenticate(*header, request, account, {.now = now})) {
            std::abort();
        }
    }
    const auto query = http::query_string::parse(input);
    if (!query) {
        return 0;
    }
    const auto sas = service::find_sas(*query);
    if (!sas) {
        return 0;
    }
    const std::vector<service::signed_identifier> policies{
        {"p", service::access_policy{.start = {}, .expiry = base::tick_max, .permission = "r"}}};
    const service::sas_facts facts{.now = now, .peer_ipv4 = 0x0a000007, .is_https = false, .policies = policies};
    check_unsigned(*sas, facts);
    check_signed(*sas, facts);
    return 0;
}
