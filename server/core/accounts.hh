// Accounts as the settings write them: NAME:KEY or NAME:KEY:KEY, keys in base64.
#pragma once

#include <string>
#include <vector>

#include "base/error.hh"

namespace server {

struct account_keys {
    std::string name;
    std::vector<std::string> keys; // decoded; one or two

    bool operator==(const account_keys&) const = default;
};

// In their order. invalid_argument, with a sentence, when one of them is not written so.
base::expected<std::vector<account_keys>> parse_accounts(const std::vector<std::string>& texts);

// The name of the one that families and sources belong to. Needs: there is one.
std::string first_account(const std::vector<std::string>& texts);

} // namespace server
