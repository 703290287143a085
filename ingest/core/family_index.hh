// The families a shard knows and the table of each of their periods: from a family's name and a point's time to the table.
// Follows the shard's copy of the catalog, which is the truth. A table that a point needs and nobody has made yet is entered here
// at once, without an id, so that points can be collected for it while it is being made.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/ids.hh"
#include "base/ticks.hh"
#include "ingest/core/limits.hh"
#include "ingest/core/line_fault.hh"
#include "ingest/core/series_set.hh"
#include "tables/core/catalog_state.hh"
#include "tables/core/period.hh"
#include "tables/core/retention_policy.hh"

namespace ingest {

struct family_settings {
    std::string account; // whose tables they are
    tables::period_kind every = tables::period_kind::day;
    std::map<std::string, unsigned, std::less<>> spreads; // of tables made from now on; others have a spread of 1
    size_t series_max = 1'000'000'000;                    // that a shard keeps apart, of all tables together
};

struct period_table {
    base::table_id id; // 0: not made yet
    const std::string* family = nullptr;
    base::tick start;
    int64_t start_ns = 0; // [start, end) in Unix time
    int64_t end_ns = 0;
    tables::period_kind every = tables::period_kind::day;
    unsigned spread = 1;
    uint32_t index = 0;      // small; no other table that is known now has it
    uint64_t serial = 0;     // no other table ever had it
    uint64_t checked = 0;    // the generation of the catalog in which it was last seen to be there
    bool is_written = false; // through this shard
    series_set series;       // that came through this shard
};

// What has to be known to make a table.
struct table_need {
    std::string family;
    tables::period_kind every = tables::period_kind::day;
    base::tick start;
    unsigned spread = 1;

    bool operator==(const table_need&) const = default;
};

table_need need_of(const period_table&);

class family_index {
public:
    // The catalog must outlive this.
    family_index(const tables::catalog_state&, family_settings);

    // Takes in the tables there are, some of them each time: nothing when that was all, else where to go on. Begin with "".
    std::optional<std::string> load(std::string_view from);
    // Takes in what the catalog learnt since. Next to nothing when that is nothing.
    void sync();

    // The table for a point. Good until sync(), sweep() or the next find(). point_in_future, point_expired, too_many_families,
    // too_many_periods.
    std::expected<period_table*, line_fault> find(std::string_view family, int64_t time_ns, int64_t now_ns) {
        if (_last != nullptr && is_of(*_last, time_ns) && _last->checked == _generation && *_last->family == family &&
            time_ns <= now_ns + future_ns_max) [[likely]] {
            return _last;
        }
        return find_elsewhere(family, time_ns, now_ns);
    }

    // The table of exactly that family and start; null when it is not there or has not been made.
    const period_table* find_made(const table_need&);
    // What to call it. From the second attempt on with a hash: the name before was somebody else's.
    std::string table_name(const table_need&, unsigned attempt) const;

    // Tables of the next period that are to be made now: of families that were written in this one, when it is nearly over.
    std::vector<table_need> due_ahead(int64_t now_ns) const;
    // Lets go of what is no longer needed: tables that nobody made or that were dropped, families without any, and series of
    // periods that are over. After many drops it takes some calls.
    void sweep(int64_t now_ns);

    // Counts a series of the table, by its hash. False when there are too many: in the table, or in all of them; then it is the
    // large ones that get no more.
    bool admit_series(period_table&, uint64_t hash);

    size_t families_count() const { return _families.size(); }

private:
    struct family {
        std::string name;
        std::string stem; // of its tables; empty before the first is made
        // By start, of those with the same one the longest first. They overlap only where the period was changed.
        std::vector<std::unique_ptr<period_table>> tables;
    };
    struct text_hash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };

    static bool is_of(const period_table& t, int64_t time_ns) { return time_ns >= t.start_ns && time_ns < t.end_ns; }
    std::expected<period_table*, line_fault> find_elsewhere(std::string_view family, int64_t time_ns, int64_t now_ns);
    std::expected<family*, line_fault> family_for(std::string_view name);
    std::expected<period_table*, line_fault> enter(family&, int64_t time_ns, int64_t now_ns);
    table_need need_at(const family&, const tables::retention_policy&, int64_t time_ns) const;
    // Of those that hold the time, the one that began last; so all shards choose the same. Null when there is none.
    static period_table* covering(const family&, int64_t time_ns);
    period_table* find_covering(family&, int64_t time_ns);
    // Whether no other is before it in that choice, whatever the time.
    static bool is_first_choice(const family&, const period_table&);
    bool is_made(const family&, int64_t time_ns) const;
    bool is_there(period_table&);
    bool is_gone(period_table&, size_t& looks_left);
    void add(const tables::table_info&);
    period_table& add_table(family&, const table_need&);
    void remove(family&, const period_table&);
    void release(const period_table&);
    void sweep_tables(family&, int64_t now_ns, size_t& looks_left);
    void forget(const family&);

    const tables::catalog_state& _catalog;
    const family_settings _settings;
    std::unordered_map<std::string, family, text_hash, std::equal_to<>> _families;
    std::unordered_map<std::string, const family*> _stems; // in lower case
    period_table* _last = nullptr;                         // found, and the first choice for its whole period
    // What of the catalog has been taken in: ids up to this one, and how many tables there were then. Ids never come again, so
    // both together tell every change.
    base::table_id _next_id;
    size_t _tables_count = 0;
    uint64_t _generation = 1; // grows when tables were dropped
    uint64_t _next_serial = 1;
    std::vector<uint32_t> _free_indexes;
    uint32_t _indexes_count = 0;
    size_t _series_count = 0; // of all tables
};

} // namespace ingest
