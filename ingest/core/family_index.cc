#include "ingest/core/family_index.hh"

#include <algorithm>

#include "ingest/core/family_names.hh"
#include "ingest/core/limits.hh"
#include "tables/core/dropped_periods.hh"

namespace ingest {
namespace {

constexpr size_t load_step = 1'000;
constexpr int64_t closed_after_ns = tables::closed_after_ticks * 100;
constexpr uint64_t longest_period_ns = 31 * 86'400'000'000'000;
// Tables that one sweep looks for in the catalog: some milliseconds.
constexpr size_t sweep_looks_max = 10'000;
// The next table is made in the last part of a period.
constexpr int64_t ahead_part = 24;

} // namespace

table_need need_of(const period_table& t) {
    return {*t.family, t.every, t.start, t.spread};
}

family_index::family_index(const tables::catalog_state& catalog, family_settings settings)
    : _catalog(catalog), _settings(std::move(settings)), _next_id(catalog.next_id()), _tables_count(catalog.tables_count()) {}

std::optional<std::string> family_index::load(std::string_view from) {
    const auto page = _catalog.list(_settings.account, from, load_step);
    for (const auto& table : page) {
        add(table);
    }
    if (page.size() < load_step) {
        return std::nullopt;
    }
    return tables::folded(page.back().name) + '0'; // the lowest name behind it
}

void family_index::sync() {
    const auto next = _catalog.next_id();
    const size_t count = _catalog.tables_count();
    if (next == _next_id && count == _tables_count) [[likely]] {
        return;
    }
    size_t made_count = 0;
    for (auto id = _next_id; id < next; ++id.value) {
        if (const auto* table = _catalog.find(id)) {
            add(*table);
            ++made_count;
        }
    }
    if (count != _tables_count + made_count) {
        ++_generation;
    }
    _next_id = next;
    _tables_count = count;
}

void family_index::add(const tables::table_info& table) {
    if (!table.family || table.account != _settings.account) {
        return;
    }
    auto& f = _families[table.family->family];
    f.name = table.family->family;
    const auto every = table.family->period;
    const auto digits_count = tables::start_digits_count(every);
    if (f.stem.empty() && table.name.size() > digits_count) {
        f.stem = table.name.substr(0, table.name.size() - digits_count);
        _stems.emplace(lower_stem(f.stem), &f);
    }
    const table_need need{f.name, every, table.family->period_start, table.family->spread};
    const auto same = std::ranges::find_if(f.tables, [&](const auto& t) { return t->start == need.start && t->every == every; });
    auto& entered = same != f.tables.end() ? **same : add_table(f, need);
    entered.id = table.id;
    entered.spread = need.spread;
    entered.checked = _generation;
}

period_table& family_index::add_table(family& f, const table_need& need) {
    auto made = std::make_unique<period_table>();
    made->family = &f.name;
    made->start = need.start;
    made->start_ns = base::unix_ns(need.start);
    made->end_ns = base::unix_ns(tables::end_of(need.every, need.start));
    made->every = need.every;
    made->spread = need.spread;
    made->serial = _next_serial++;
    if (_free_indexes.empty()) {
        made->index = _indexes_count++;
    } else {
        made->index = _free_indexes.back();
        _free_indexes.pop_back();
    }
    _last = nullptr; // it may be before that now
    const auto order = [](const auto& t) { return std::pair(t->start_ns, ~t->end_ns); };
    const auto place = std::ranges::upper_bound(f.tables, order(made), {}, order);
    return **f.tables.insert(place, std::move(made));
}

void family_index::release(const period_table& table) {
    _free_indexes.push_back(table.index);
    _series_count -= table.series.size();
    _last = nullptr;
}

void family_index::remove(family& f, const period_table& table) {
    release(table);
    std::erase_if(f.tables, [&](const auto& t) { return t.get() == &table; });
}

bool family_index::is_there(period_table& t) {
    if (t.id.value != 0 && t.checked != _generation) {
        if (_catalog.find(t.id) == nullptr) {
            return false;
        }
        t.checked = _generation;
    }
    return true;
}

std::expected<period_table*, line_fault> family_index::find_elsewhere(std::string_view name, int64_t time_ns, int64_t now_ns) {
    if (time_ns > now_ns + future_ns_max) {
        return std::unexpected(line_fault::point_in_future);
    }
    const auto f = family_for(name);
    if (!f) {
        return std::unexpected(f.error());
    }
    auto* table = find_covering(**f, time_ns);
    if (table == nullptr) {
        auto entered = enter(**f, time_ns, now_ns);
        if (!entered) {
            if ((*f)->tables.empty()) {
                forget(**f);
            }
            return entered;
        }
        table = *entered;
    }
    // Only what can answer the next call is worth remembering: one that is not made yet has no generation.
    _last = table->id.value != 0 && is_first_choice(**f, *table) ? table : nullptr;
    return table;
}

std::expected<family_index::family*, line_fault> family_index::family_for(std::string_view name) {
    if (const auto known = _families.find(name); known != _families.end()) {
        return &known->second;
    }
    if (_families.size() >= families_max) {
        return std::unexpected(line_fault::too_many_families);
    }
    auto& f = _families[std::string(name)];
    f.name = name;
    return &f;
}

period_table* family_index::covering(const family& f, int64_t time_ns) {
    auto at = std::ranges::upper_bound(f.tables, time_ns, {}, [](const auto& t) { return t->start_ns; });
    // Nearly always it is the one before that. A longer one may have begun before shorter ones that are over.
    for (; at != f.tables.begin(); --at) {
        auto& table = **std::prev(at);
        if (is_of(table, time_ns)) {
            return &table;
        }
        if (static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(table.start_ns) >= longest_period_ns) {
            break;
        }
    }
    return nullptr;
}

period_table* family_index::find_covering(family& f, int64_t time_ns) {
    for (;;) {
        auto* table = covering(f, time_ns);
        if (table == nullptr || is_there(*table)) {
            return table;
        }
        remove(f, *table);
    }
}

bool family_index::is_first_choice(const family& f, const period_table& table) {
    const auto behind = std::ranges::lower_bound(f.tables, table.end_ns, {}, [](const auto& t) { return t->start_ns; });
    return std::prev(behind)->get() == &table;
}

bool family_index::is_made(const family& f, int64_t time_ns) const {
    const auto* table = covering(f, time_ns);
    return table != nullptr && table->id.value != 0 && _catalog.find(table->id) != nullptr;
}

std::expected<period_table*, line_fault> family_index::enter(family& f, int64_t time_ns, int64_t now_ns) {
    const auto kept = tables::find_retention(_catalog, _settings.account, f.name);
    const auto need = need_at(f, kept, time_ns);
    const bool is_too_old = kept.keep_ticks > 0 && tables::end_of(need.every, need.start).value <=
                                                       base::tick_from_unix_ns(now_ns).value - kept.keep_ticks;
    if (is_too_old || base::tick_from_unix_ns(time_ns) < tables::dropped_until(_catalog, _settings.account, f.name)) {
        return std::unexpected(line_fault::point_expired);
    }
    if (f.tables.size() >= periods_per_family_max) {
        return std::unexpected(line_fault::too_many_periods);
    }
    return &add_table(f, need);
}

// What a table that is made now for that time is like: settings and policy, whatever the tables before it were.
table_need family_index::need_at(const family& f, const tables::retention_policy& kept, int64_t time_ns) const {
    const auto every = kept.period.value_or(_settings.every);
    const auto chosen = _settings.spreads.find(f.name);
    const unsigned spread = chosen == _settings.spreads.end() ? 1 : chosen->second;
    return {f.name, every, tables::start_of(every, base::tick_from_unix_ns(time_ns)), spread};
}

const period_table* family_index::find_made(const table_need& need) {
    const auto f = _families.find(need.family);
    if (f == _families.end()) {
        return nullptr;
    }
    for (const auto& t : f->second.tables) {
        if (t->start == need.start && t->every == need.every) {
            return t->id.value != 0 && is_there(*t) ? t.get() : nullptr;
        }
    }
    return nullptr;
}

std::string family_index::table_name(const table_need& need, unsigned attempt) const {
    if (attempt > 0) {
        return ingest::table_name(hashed_stem(need.family, attempt - 1), need.every, need.start);
    }
    const auto f = _families.find(need.family);
    if (f != _families.end() && !f->second.stem.empty()) {
        return ingest::table_name(f->second.stem, need.every, need.start);
    }
    const auto stem = choose_stem(need.family, [this](std::string_view lower) { return _stems.contains(std::string(lower)); });
    return ingest::table_name(stem, need.every, need.start);
}

std::vector<table_need> family_index::due_ahead(int64_t now_ns) const {
    std::vector<table_need> due;
    for (const auto& [name, f] : _families) {
        const auto* t = covering(f, now_ns);
        const bool is_nearly_over = t != nullptr && t->end_ns - now_ns < (t->end_ns - t->start_ns) / ahead_part;
        if (is_nearly_over && t->is_written && !is_made(f, t->end_ns)) {
            due.push_back(need_at(f, tables::find_retention(_catalog, _settings.account, name), t->end_ns));
        }
    }
    return due;
}

void family_index::sweep(int64_t now_ns) {
    _last = nullptr;
    size_t looks_left = sweep_looks_max;
    for (auto at = _families.begin(); at != _families.end();) {
        auto& f = (at++)->second; // which may be gone after this
        sweep_tables(f, now_ns, looks_left);
        if (f.tables.empty()) {
            forget(f);
        }
    }
}

void family_index::sweep_tables(family& f, int64_t now_ns, size_t& looks_left) {
    std::erase_if(f.tables, [&](const std::unique_ptr<period_table>& t) {
        if (is_gone(*t, looks_left)) {
            release(*t);
            return true;
        }
        if (t->end_ns < now_ns - closed_after_ns && t->series.size() > 0) {
            _series_count -= t->series.size();
            t->series = {};
            t->serial = _next_serial++;
        }
        return false;
    });
}

bool family_index::is_gone(period_table& t, size_t& looks_left) {
    if (t.id.value == 0) {
        return true;
    }
    if (t.checked == _generation || looks_left == 0) {
        return false;
    }
    --looks_left;
    return !is_there(t);
}

void family_index::forget(const family& f) {
    if (const auto stem = _stems.find(lower_stem(f.stem)); stem != _stems.end() && stem->second == &f) {
        _stems.erase(stem);
    }
    _families.erase(_families.find(f.name));
}

// A table may have as many series as there is still room for: so one alone takes half of it, and small ones find room beside it.
bool family_index::admit_series(period_table& t, uint64_t hash) {
    const size_t before = t.series.size();
    const size_t room = _settings.series_max - std::min(_series_count, _settings.series_max);
    const bool is_admitted = t.series.insert(hash, std::min(series_per_family_max, room));
    _series_count += t.series.size() - before;
    return is_admitted;
}

} // namespace ingest
