#include "tables/core/dropped_periods.hh"

#include <charconv>
#include <string>

namespace tables {
namespace {

std::string dropped_key(std::string_view family) {
    return "dropped/" + std::string(family);
}

} // namespace

// One that cannot be read counts as none.
base::tick dropped_until(const catalog_state& catalog, std::string_view account, std::string_view family) {
    const auto text = catalog.attribute(base::table_id{}, account, dropped_key(family));
    base::tick until;
    std::from_chars(text.data(), text.data() + text.size(), until.value);
    return until;
}

std::optional<attribute_edit> dropped_edit(const catalog_state& catalog, const table_info& table, base::tick now) {
    if (!table.family) {
        return std::nullopt;
    }
    const auto end = end_of(table.family->period, table.family->period_start);
    const bool is_over = end.value < now.value - closed_after_ticks;
    if (!is_over || end <= dropped_until(catalog, table.account, table.family->family)) {
        return std::nullopt;
    }
    return attribute_edit{base::table_id{}, table.account, dropped_key(table.family->family), std::to_string(end.value)};
}

attribute_edit forget_dropped(std::string_view account, std::string_view family) {
    return {base::table_id{}, std::string(account), dropped_key(family), ""};
}

} // namespace tables
