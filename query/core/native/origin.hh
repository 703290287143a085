// Where a row of an answer comes from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace query {

// In the order of ties: rows of one time come families first. In cursors: do not renumber.
enum class origin_kind : uint8_t { family = 1, table = 2, source = 3 };

constexpr std::string_view name(origin_kind kind) {
    switch (kind) {
    case origin_kind::family: return "family";
    case origin_kind::table: return "table";
    case origin_kind::source: return "source";
    }
    return "";
}

struct origin {
    origin_kind kind;
    std::string name;

    auto operator<=>(const origin&) const = default;
};

} // namespace query
