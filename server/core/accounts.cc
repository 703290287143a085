#include "server/core/accounts.hh"

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "service/core/base64.hh"

namespace server {
namespace {

using base::errc;
using base::fail;

base::expected<account_keys> parse_account(std::string_view text) {
    account_keys one;
    while (!text.empty()) {
        const auto part = text.substr(0, text.find(':'));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
        if (one.name.empty()) {
            one.name = part;
            continue;
        }
        auto key = service::decode_base64(part);
        if (!key || key->empty()) {
            return fail(errc::invalid_argument, fmt::format("account {}: its key is not base64", one.name));
        }
        one.keys.push_back(std::move(*key));
    }
    if (one.name.empty() || one.keys.empty() || one.keys.size() > 2) {
        return fail(errc::invalid_argument, "an account is written NAME:KEY, or NAME:KEY:KEY");
    }
    return one;
}

} // namespace

base::expected<std::vector<account_keys>> parse_accounts(const std::vector<std::string>& texts) {
    std::vector<account_keys> accounts;
    for (const auto& text : texts) {
        auto one = parse_account(text);
        if (!one) {
            return std::unexpected(one.error());
        }
        accounts.push_back(std::move(*one));
    }
    return accounts;
}

std::string first_account(const std::vector<std::string>& texts) {
    assert(!texts.empty());
    return texts.front().substr(0, texts.front().find(':'));
}

} // namespace server
