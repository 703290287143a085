#include "query/core/native/plan.hh"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/ticks.hh"
#include "tables/core/catalog_state.hh"
#include "tables/core/period.hh"

namespace query {
namespace {

// Which origins a `from` means.
class name_resolver {
public:
    // `may_come`: a family or source that is not there yet is no mistake.
    name_resolver(const catalog_view& there, bool may_come) : _there(there), _may_come(may_come) {
        for (const auto& t : there.tables) {
            if (t.family) {
                _families.insert(t.family->family);
            }
        }
    }

    base::expected<void> add(const from_item& item) {
        using kind = from_item::kind;
        const size_t before = _found.size();
        const bool is_all = item.what == kind::everything;
        if (is_all || ((item.what == kind::stream || item.what == kind::family) && _families.contains(item.name))) {
            add_families(item);
        }
        for (const auto& source : _there.sources) {
            if (is_all || ((item.what == kind::stream || item.what == kind::source) && source == item.name)) {
                _found.insert({origin_kind::source, source});
            }
        }
        add_tables(item);
        const bool is_known =
            is_all || _found.size() > before || was_there(item) || (_may_come && item.what != from_item::kind::table);
        return is_known ? base::expected<void>() : base::fail(base::errc::entity_not_found, missing(item));
    }

    std::vector<origin> take() { return {_found.begin(), _found.end()}; }

private:
    void add_families(const from_item& item) {
        if (item.what != from_item::kind::everything) {
            _found.insert({origin_kind::family, item.name});
            return;
        }
        for (const auto& family : _families) {
            _found.insert({origin_kind::family, family});
        }
    }

    void add_tables(const from_item& item) {
        const bool is_all = item.what == from_item::kind::everything;
        if (!is_all && item.what != from_item::kind::table) {
            return;
        }
        const auto wanted = tables::folded(item.name);
        for (const auto& t : _there.tables) {
            // With `*` a family is read as such, not once more as its tables.
            if (is_all ? !t.family : tables::folded(t.name) == wanted) {
                _found.insert({origin_kind::table, t.name});
            }
        }
    }

    // Named before under another spelling.
    bool was_there(const from_item& item) const {
        return std::ranges::any_of(_found, [&](const origin& o) { return tables::folded(o.name) == tables::folded(item.name); });
    }

    static std::string missing(const from_item& item) {
        switch (item.what) {
        case from_item::kind::family: return fmt::format("there is no family '{}'", item.name);
        case from_item::kind::source: return fmt::format("there is no source '{}'", item.name);
        case from_item::kind::table: return fmt::format("there is no table '{}'", item.name);
        default: return fmt::format("there is no family or source '{}'; a table is asked for as table:{}", item.name, item.name);
        }
    }

    const catalog_view& _there;
    const bool _may_come;
    std::set<std::string> _families;
    std::set<origin> _found;
};

time_range period_of(const tables::family_binding& family) {
    const auto end = tables::end_of(family.period, family.period_start);
    return {base::unix_ns(family.period_start), base::unix_ns(end)};
}

std::vector<table_part> parts_of(const std::vector<origin>& origins, const catalog_view& there) {
    std::vector<table_part> parts;
    const auto add = [&](origin_kind kind, const std::string& name, const tables::table_info& t) {
        const auto found = std::ranges::lower_bound(origins, origin{kind, name});
        if (found != origins.end() && found->kind == kind && found->name == name) {
            const bool is_family = kind == origin_kind::family;
            parts.push_back({t.id, static_cast<uint32_t>(found - origins.begin()),
                             is_family ? period_of(*t.family) : time_range{}, is_family ? t.family->spread : 1, t.name});
        }
    };
    for (const auto& t : there.tables) {
        if (t.family) {
            add(origin_kind::family, t.family->family, t);
        }
        add(origin_kind::table, t.name, t);
    }
    for (uint32_t i = 0; i < origins.size(); ++i) {
        if (origins[i].kind == origin_kind::source) {
            parts.push_back({.id = {}, .origin = i, .covers = {}, .spread = 1, .table = {}});
        }
    }
    std::ranges::sort(parts, {}, [](const table_part& p) { return std::tuple(p.origin, p.covers.start_ns, p.id.value); });
    return parts;
}

} // namespace

std::optional<position_view> plan::after() const {
    if (!asked.after || asked.aggregates) {
        return std::nullopt;
    }
    const auto& p = *asked.after;
    // An origin that is gone by now still has its place: that of the first one behind it.
    const auto at = std::ranges::lower_bound(origins, p.origin) - origins.begin();
    return position_view{p.time_ns, static_cast<uint32_t>(at), p.table, p.partition_key, p.row_key};
}

base::expected<plan> make_plan(request asked, const catalog_view& there) {
    name_resolver names(there, asked.follow);
    for (const auto& item : asked.from) {
        if (auto added = names.add(item); !added) {
            return std::unexpected(added.error());
        }
    }
    auto where = program::compile(asked.where);
    if (!where) {
        return base::fail(base::errc::invalid_argument, "where: " + where.error().message);
    }
    auto origins = names.take();
    auto parts = parts_of(origins, there);
    std::erase_if(parts, [&](const table_part& p) { return !p.covers.overlaps(asked.range); });
    return plan{std::move(asked), std::move(*where), std::move(origins), std::move(parts)};
}

} // namespace query
