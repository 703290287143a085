#include "ingest/core/family_index.hh"

#include <algorithm>

#include "ingest/core/family_names.hh"
#include "ingest/core/limits.hh"
#include "tables/core/retention_policy.hh"

namespace ingest {
namespace {

constexpr size_t load_step = 1'000;
// Late points of a period are likely for so long after its end.
constexpr int64_t closed_after_ns = 3'600'000'000'000;
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
    const auto place = std::ranges::upper_bound(f.tables, made->start_ns, {}, [](const auto& t) { return t->start_ns; });
    return **f.tables.insert(place, std::move(made));
}

void family_index::remove(family& f, const period_table& table) {
    _free_indexes.push_back(table.index);
    _last = nullptr;
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
    auto* table = find_covering(**f, time_ns, now_ns);
    if (table == nullptr) {
        auto entered = enter(**f, time_ns, now_ns);
        if (!entered) {
            return entered;
        }
        table = *entered;
    }
    // Only what can answer the next call is worth remembering: one that is not made yet has no generation.
    _last = table->id.value != 0 ? table : nullptr;
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

period_table* family_index::find_covering(family& f, int64_t time_ns, int64_t now_ns) {
    for (;;) {
        const auto behind = std::ranges::upper_bound(f.tables, time_ns, {}, [](const auto& t) { return t->start_ns; });
        if (behind == f.tables.begin() || !is_of(**std::prev(behind), time_ns)) {
            return nullptr;
        }
        auto& table = **std::prev(behind);
        if (is_there(table)) {
            return &table;
        }
        // Whoever drops the table of a period that is over means it; that of a running one begins anew.
        if (table.end_ns < now_ns - closed_after_ns) {
            f.dropped_until_ns = std::max(f.dropped_until_ns, table.end_ns);
        }
        remove(f, table);
    }
}

std::expected<period_table*, line_fault> family_index::enter(family& f, int64_t time_ns, int64_t now_ns) {
    const auto kept = tables::find_retention(_catalog, _settings.account, f.name);
    const auto every = kept.period.value_or(_settings.every);
    const auto time = base::tick_from_unix_ns(time_ns);
    const bool is_too_old =
        kept.keep_ticks > 0 && tables::end_of(every, time).value <= base::tick_from_unix_ns(now_ns).value - kept.keep_ticks;
    if (time_ns < f.dropped_until_ns || is_too_old) {
        return std::unexpected(line_fault::point_expired);
    }
    if (f.tables.size() >= periods_per_family_max) {
        return std::unexpected(line_fault::too_many_periods);
    }
    const auto chosen = _settings.spreads.find(f.name);
    const unsigned spread = chosen == _settings.spreads.end() ? 1 : chosen->second;
    return &add_table(f, {f.name, every, tables::start_of(every, time), spread});
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
        for (size_t i = f.tables.size(); i-- > 0;) {
            const auto& t = *f.tables[i];
            const bool is_last = i + 1 == f.tables.size() || f.tables[i + 1]->start_ns > t.end_ns;
            if (is_of(t, now_ns) && t.is_written && is_last && t.end_ns - now_ns < (t.end_ns - t.start_ns) / ahead_part) {
                const auto next = tables::end_of(t.every, t.start);
                due.push_back({name, t.every, next, t.spread});
            }
            if (t.end_ns < now_ns) {
                break;
            }
        }
    }
    return due;
}

void family_index::sweep(int64_t now_ns) {
    _last = nullptr;
    for (auto& [name, f] : _families) {
        for (size_t i = f.tables.size(); i-- > 0;) {
            auto& t = *f.tables[i];
            if (t.id.value == 0) {
                remove(f, t);
            } else if (t.end_ns < now_ns - closed_after_ns && t.series.size() > 0) {
                t.series = {};
                t.serial = _next_serial++;
            }
        }
    }
}

} // namespace ingest
