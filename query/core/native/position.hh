// The place of a row in the order of answers: time first, then where it comes from, then its keys. No two rows have the same one,
// so the order is total and a page can go on right behind any row. Descending order is exactly the reverse.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "query/core/native/origin.hh"

namespace query {

enum class order_kind : uint8_t { ascending, descending };

// Borrowed.
struct position_view {
    int64_t time_ns = 0;
    uint32_t origin = 0; // index into plan::origins, which are sorted
    uint64_t table = 0;
    std::string_view partition_key; // collated
    std::string_view row_key;

    auto operator<=>(const position_view&) const = default;
};

// True when `a` comes first.
inline bool comes_before(const position_view& a, const position_view& b, order_kind order) {
    return order == order_kind::ascending ? a < b : b < a;
}

// The same, owned, for cursors: knows its origin by name, since numbers differ from plan to plan.
struct position {
    int64_t time_ns = 0;
    query::origin origin{};
    uint64_t table = 0;
    std::string partition_key;
    std::string row_key;

    bool operator==(const position&) const = default;
};

} // namespace query
