// host LF path: an account and a resource come out or an error does; an entity that is printed is the same entity again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "service/core/account_url.hh"
#include "service/core/resource_url.hh"

namespace {

void check_round_trip(const service::entity_resource& entity) {
    // A table name from outside may be anything; those that exist are letters and digits.
    const auto path = "/" + service::text_of([&](service::text_sink& out) {
                          service::put_entity_path(out, "T", entity.partition_key, entity.row_key);
                      });
    const auto again = service::parse_resource(path, std::nullopt, std::nullopt);
    if (again != service::resource(service::entity_resource{"T", entity.partition_key, entity.row_key})) {
        std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const std::vector<std::string> accounts{"devstoreaccount1", "acct"};
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto line = std::min(input.find('\n'), input.size());
    const auto target = input.substr(std::min(line + 1, input.size()));
    const auto parts = service::split_target(target);
    const auto path = parts ? parts->path : target;
    const auto account = service::split_account(input.substr(0, line), path, {accounts, {}});
    const auto resource = service::parse_resource(account ? account->resource_path : path, std::nullopt, std::nullopt);
    if (resource) {
        if (const auto* entity = std::get_if<service::entity_resource>(&*resource)) {
            check_round_trip(*entity);
        }
    }
    return 0;
}
