// What may be dropped: policies, and a function from the tables there are to those that have to go. Only whole tables go, and only
// when all of their period is older than what is to be kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hh"
#include "base/ids.hh"
#include "base/ticks.hh"
#include "tables/core/catalog_edit.hh"

namespace compaction {

// Of a family, or of a plain name whose tables a user makes himself: name and date.
struct retention_policy {
    std::string name;
    std::optional<tables::period_kind> period; // of the family's tables made from now on
    int64_t keep_ticks = 0;                    // 0: for ever
    uint64_t max_bytes = 0;                    // 0: as much as there is

    bool operator==(const retention_policy&) const = default;
};

// "45s", "12h", "30d", "4w", in ticks. Nothing when it is no such text, or longer than any time.
std::optional<int64_t> parse_length(std::string_view);
std::string length_text(int64_t ticks); // the largest unit that divides it
std::optional<tables::period_kind> parse_period(std::string_view); // 1h, 1d, 7d, month
std::string_view period_text(tables::period_kind);

// As the catalog keeps it: "period=1d keep=30d max_bytes=0".
std::string encode(const retention_policy&);
base::expected<retention_policy> decode_policy(std::string name, std::string_view);

// The end of the period that begins then.
base::tick end_of_period(tables::period_kind, base::tick start);
// The period that a plain table's name ends with: yyyymm, yyyymmdd or yyyymmddhh behind `name`. Nothing when it is none.
std::optional<base::tick> end_of_dated_name(std::string_view table_name, std::string_view name);

// A table that a policy is about.
struct aged_table {
    base::table_id id;
    std::string account;
    std::string name;
    base::tick end; // of its period
    uint64_t bytes = 0;

    bool operator==(const aged_table&) const = default;
};

enum class drop_reason : uint8_t { expired, over_max_bytes };

struct table_to_drop {
    aged_table table;
    drop_reason reason;

    bool operator==(const table_to_drop&) const = default;
};

// Oldest first. A table whose period is not over is never among them.
std::vector<table_to_drop> tables_to_drop(const retention_policy&, std::vector<aged_table>, base::tick now);

// The wall clock beside the one that nobody sets: after a jump of more than an hour, what is old cannot be told any more.
class clock_watch {
public:
    static constexpr int64_t jump_ticks_max = int64_t{3600} * base::ticks_per_second;

    // True while they go together.
    bool check(base::tick wall, int64_t steady_ticks);

private:
    std::optional<int64_t> _difference;
    bool _has_jumped = false;
};

} // namespace compaction
