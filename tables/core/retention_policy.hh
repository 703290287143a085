// How long the tables of a family, or of a name, are kept: a policy as a value and as the catalog keeps it, an attribute of the
// account.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hh"
#include "base/ticks.hh"
#include "tables/core/catalog_state.hh"
#include "tables/core/period.hh"

namespace tables {

// Of a family, or of a plain name whose tables a user makes himself: name and date.
struct retention_policy {
    std::string name;
    std::optional<period_kind> period; // of the family's tables made from now on
    int64_t keep_ticks = 0;            // 0: for ever
    uint64_t max_bytes = 0;            // 0: as much as there is

    bool operator==(const retention_policy&) const = default;
};

// "45s", "12h", "30d", "4w", in ticks. Nothing when it is no such text, or longer than any time.
std::optional<int64_t> parse_length(std::string_view);
std::string length_text(int64_t ticks); // the largest unit that divides it

// As the catalog keeps it: "period=1d keep=30d max_bytes=0".
std::string encode(const retention_policy&);
base::expected<retention_policy> decode_policy(std::string name, std::string_view);

// In a catalog. Of a name that has none, one without any bound; one that cannot be read counts as none.
retention_policy find_retention(const catalog_state&, std::string_view account, std::string_view name);
std::vector<retention_policy> all_retention(const catalog_state&, std::string_view account);
// What sets it, or takes it away when it has no bound and no period.
attribute_edit retention_edit(std::string account, const retention_policy&);

} // namespace tables
