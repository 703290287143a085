// Any bytes as the configuration file: settings that pass their own checks or one sentence about what is wrong. The same bytes as
// a token header and as the body of a policy.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "server/core/accounts.hh"
#include "server/core/origin.hh"
#include "server/core/policy_body.hh"
#include "server/core/settings.hh"
#include "server/core/settings_check.hh"
#include "server/core/token.hh"

namespace {

std::string file;

base::expected<std::string> read_file(const std::string&) {
    return file;
}

void require(bool law) {
    if (!law) {
        std::abort();
    }
}

void read_policy(const std::string& body) {
    const auto policy = server::read_policy("cpu", body);
    require(policy || !policy.error().detail.empty());
    if (policy) {
        const auto kept = tables::decode_policy("cpu", tables::encode(*policy));
        require(kept && *kept == *policy);
    }
    (void)tables::decode_policy("cpu", body).has_value();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    file.assign(reinterpret_cast<const char*>(data), size);
    const auto line = server::parse_command_line({"--config", "file"}, read_file);
    require(line || !line.error().detail.empty());
    if (line && line->action == server::serve_action::serve) {
        require(server::check_settings(line->options).has_value() && server::parse_accounts(line->options.accounts).has_value());
    }
    require(!server::presents_token(file, "a secret nobody guesses") &&
            !server::query_presents_token(file, "a secret nobody guesses"));
    (void)server::is_of_this_machine(file);
    read_policy(file);
    return 0;
}
