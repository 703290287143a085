// What may be dropped: policies, and a function from the tables there are to those that have to go. Only whole tables go, and
// only when all of their period is older than what is to be kept.
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
#include "tables/core/retention_policy.hh"

namespace compaction {

using tables::retention_policy;

// The period that a plain table's name ends with: yyyymm, yyyymmdd or yyyymmddhh behind `name`. Nothing when it is none.
std::optional<base::tick> end_of_dated_name(std::string_view table_name, std::string_view name);

// A table that a policy is about.
struct aged_table {
    base::table_id id;
    std::string account;
    std::string name;
    base::tick end; // of its period
    uint64_t bytes = 0;
    std::optional<base::tick> log_period{}; // where the period begins, if this is what the log source of that name has of it

    bool operator==(const aged_table&) const = default;
};

enum class drop_reason : uint8_t { expired, over_max_bytes, disk_is_full };

struct table_to_drop {
    aged_table table;
    drop_reason reason;

    bool operator==(const table_to_drop&) const = default;
};

// When a table whose period ends then goes by its policy; nothing when time alone does not decide it.
std::optional<base::tick> next_drop(const retention_policy&, base::tick end);

// Oldest first. A table whose period is not over is never among them.
std::vector<table_to_drop> tables_to_drop(const retention_policy&, std::vector<aged_table>, base::tick now);

// Takes out what is written to now, by the looks of it: of the tables, and of the hours of a source, that one policy is about,
// the newest that has bytes.
void leave_newest(std::vector<aged_table>&);

// The oldest of these tables whose periods are over, until they make up so many bytes; those that take none stay.
std::vector<table_to_drop> oldest_to_drop(std::vector<aged_table>, base::tick now, uint64_t bytes_wanted);

// In words.
std::string_view reason_text(drop_reason);

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
