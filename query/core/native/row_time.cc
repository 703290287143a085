#include "query/core/native/row_time.hh"

#include "base/ticks.hh"
#include "tables/core/family/point_key.hh"

namespace query {
namespace {

std::optional<int64_t> time_of(base::tick tick) {
    const int64_t ns = base::unix_ns(tick);
    const bool is_saturated = base::tick_from_unix_ns(ns) != tick;
    return is_saturated ? std::nullopt : std::optional(ns);
}

} // namespace

std::optional<int64_t> row_time(origin_kind kind, std::string_view row_key) {
    if (kind == origin_kind::family) {
        if (const auto ns = tables::parse_point_key(row_key)) {
            return ns;
        }
    }
    if (kind == origin_kind::source) {
        return tables::parse_point_key(row_key.substr(0, tables::point_key_bytes));
    }
    const auto tick = base::parse_inverted(row_key);
    return tick ? time_of(*tick) : std::nullopt;
}

std::optional<int64_t> row_time(origin_kind kind, base::tick tick, std::string_view suffix) {
    const auto ns = kind == origin_kind::family ? tables::point_time(tick, suffix) : std::nullopt;
    return ns ? ns : time_of(tick);
}

std::optional<time_range> times_between(base::tick oldest, base::tick newest) {
    constexpr int64_t ns_per_tick = 100;
    const auto first = time_of(oldest);
    const auto last = time_of(newest);
    if (!first || !last || *last > time_range::forever - ns_per_tick) {
        return std::nullopt;
    }
    return time_range{*first, *last + ns_per_tick};
}

tables::key_range keys_of_partition(std::string_view partition_key, time_range range) {
    auto keys = tables::key_range::partition(partition_key);
    if (range.is_empty()) {
        keys.before = keys.from;
        return keys;
    }
    if (range.end_ns != time_range::forever) {
        keys.from.row_key = base::inverted_text(base::tick_from_unix_ns(range.end_ns - 1));
    }
    if (range.start_ns != time_range::always) {
        const auto oldest = base::tick_from_unix_ns(range.start_ns);
        keys.before = tables::entity_key{keys.from.partition_key, base::inverted_text(base::tick{oldest.value - 1})};
    }
    return keys;
}

} // namespace query
