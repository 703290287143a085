#include "base/level.hh"

#include <algorithm>

namespace base {
namespace {

struct alias {
    std::string_view name;
    int32_t severity;
};
constexpr alias aliases[] = {
    {"emerg", 0}, {"emergency", 0}, {"panic", 0}, {"alert", 1},  {"crit", 2}, {"critical", 2},      {"fatal", 2}, {"err", 3},
    {"error", 3}, {"warning", 4},   {"warn", 4},  {"notice", 5}, {"info", 6}, {"informational", 6}, {"debug", 7}, {"trace", 7},
};

constexpr char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

} // namespace

std::optional<int32_t> parse_level(std::string_view text) {
    for (const auto& a : aliases) {
        if (std::ranges::equal(text, a.name, {}, lower)) {
            return a.severity;
        }
    }
    return std::nullopt;
}

std::optional<std::string_view> level_name(int32_t severity) {
    static constexpr std::string_view names[] = {"emerg", "alert", "crit", "error", "warning", "notice", "info", "debug"};
    const bool is_level = severity >= 0 && static_cast<size_t>(severity) < std::size(names);
    return is_level ? std::optional(names[severity]) : std::nullopt;
}

} // namespace base
