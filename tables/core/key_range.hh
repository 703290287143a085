// Positions and ranges in the order of a table: (PartitionKey, RowKey), both collated. Ranges are half-open. A key never holds a
// zero byte, so the position right behind a key is that key with one appended.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tables {

struct entity_key {
    std::string partition_key;
    std::string row_key;

    auto operator<=>(const entity_key&) const = default;

    // The least position that is greater.
    entity_key successor() const { return {partition_key, row_key + '\0'}; }
};

struct key_range {
    entity_key from;                  // included
    std::optional<entity_key> before; // excluded; nothing: to the end

    bool operator==(const key_range&) const = default;

    bool contains(std::string_view partition_key, std::string_view row_key) const {
        return !is_before(partition_key, row_key, from) && !is_past(partition_key, row_key);
    }
    bool is_past(std::string_view partition_key, std::string_view row_key) const {
        return before && !is_before(partition_key, row_key, *before);
    }
    // The one partition all its rows are in; nothing when there may be several.
    std::optional<std::string_view> only_partition() const {
        const bool is_one = before && (before->partition_key == from.partition_key ||
                                       (before->row_key.empty() && before->partition_key == from.partition_key + '\0'));
        return is_one ? std::optional<std::string_view>(from.partition_key) : std::nullopt;
    }

    static key_range all() { return {}; }
    static key_range partition(std::string_view partition_key) {
        return {{std::string(partition_key), {}}, entity_key{std::string(partition_key) + '\0', {}}};
    }
    static key_range point(std::string_view partition_key, std::string_view row_key) {
        entity_key key{std::string(partition_key), std::string(row_key)};
        auto next = key.successor();
        return {std::move(key), std::move(next)};
    }

private:
    static bool is_before(std::string_view partition_key, std::string_view row_key, const entity_key& bound) {
        const auto order = partition_key.compare(bound.partition_key);
        return order < 0 || (order == 0 && row_key < bound.row_key);
    }
};

// What is left of ranges, which are in order, from a position on.
inline std::vector<key_range> ranges_from(std::vector<key_range> ranges, const entity_key& position) {
    const auto is_done = [&](const key_range& r) { return r.before && *r.before <= position; };
    ranges.erase(ranges.begin(), std::ranges::find_if_not(ranges, is_done));
    if (!ranges.empty()) {
        ranges.front().from = std::max(ranges.front().from, position);
    }
    return ranges;
}

} // namespace tables
