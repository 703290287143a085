// Stored access policies: what a table keeps, and what a shared access signature can refer to by id.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/ticks.hh"

namespace service {

constexpr size_t policies_max = 5; // of one table; the protocol's number
constexpr size_t policy_id_characters_max = 64;

// Any of them may be left to the signature that refers to the policy.
struct access_policy {
    std::optional<base::tick> start;
    std::optional<base::tick> expiry;
    std::optional<std::string> permission; // letters of "raud"

    bool operator==(const access_policy&) const = default;
};

struct signed_identifier {
    std::string id;
    std::optional<access_policy> policy;

    bool operator==(const signed_identifier&) const = default;
};

// YYYY-MM-DD, YYYY-MM-DDThh:mmZ or YYYY-MM-DDThh:mm:ssZ, a fraction allowed.
std::optional<base::tick> parse_access_time(std::string_view);

} // namespace service
