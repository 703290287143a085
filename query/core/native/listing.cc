#include "query/core/native/listing.hh"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "base/spread.hh"
#include "base/text_arena.hh"
#include "query/core/native/json_text.hh"
#include "tables/core/family/property_name.hh"
#include "tables/core/family/series.hh"
#include "tables/core/period.hh"

namespace query {
namespace {

constexpr size_t node_bytes = 80; // what holds a text in a set

std::string quoted(std::string_view text) {
    std::string out;
    append_json_string(text, out);
    return out;
}

// {"NAME":[ITEM,...],"cursor":...}
class list_printer {
public:
    list_printer(std::string_view name, const list_page& page) : _page(page), _out(fmt::format("{{\"{}\":[", name)) {}

    // False when the page is full. `key` is what the cursor will say.
    bool add(std::string_view key, std::string_view json) {
        if (_count == _page.limit) {
            _has_more = true;
            return false;
        }
        _out += _count++ == 0 ? "\n" : ",\n";
        _out += json;
        _last = key;
        return true;
    }
    std::string finish() {
        _out += fmt::format("],\"cursor\":{}}}\n", _has_more ? quoted(_last) : "null");
        return std::move(_out);
    }

private:
    const list_page& _page;
    std::string _out;
    std::string _last;
    size_t _count = 0;
    bool _has_more = false;
};

// The items of an ordered set or map behind the cursor.
template <class Ordered>
auto behind(const Ordered& items, const list_page& page) {
    return std::ranges::subrange(page.after.empty() ? items.begin() : items.upper_bound(page.after), items.end());
}

std::string_view type_name(tables::value_type type) {
    switch (type) {
    case tables::value_type::string: return "string";
    case tables::value_type::int32: return "int32";
    case tables::value_type::int64: return "int64";
    case tables::value_type::real: return "double";
    case tables::value_type::boolean: return "boolean";
    case tables::value_type::datetime: return "datetime";
    case tables::value_type::guid: return "guid";
    case tables::value_type::binary: return "binary";
    }
    return "";
}

std::string time_or_null(std::optional<base::tick> time) {
    return time ? quoted(base::to_text(*time)) : "null";
}

std::string figures_members(const table_figures& f) {
    const auto per_row = f.segment_rows_count == 0
                             ? std::string("null")
                             : fmt::format("{:.2f}", static_cast<double>(f.bytes) / static_cast<double>(f.segment_rows_count));
    return fmt::format(
        R"(,"rows":{},"bytes":{},"bytes_per_row":{},"memory_bytes":{},"files":{},"oldest":{},"newest":{},"next_drop":{})",
        f.rows_count, f.bytes, per_row, f.memory_bytes, f.files_count, time_or_null(f.oldest), time_or_null(f.newest),
        time_or_null(f.next_drop));
}

} // namespace

base::expected<list_page> parse_list_page(std::span<const parameter> parameters, std::string_view known) {
    list_page page;
    for (size_t i = 0; i < parameters.size(); ++i) {
        const auto& [name, value] = parameters[i];
        if (std::ranges::contains(parameters.first(i), name, &parameter::name)) {
            return base::fail(base::errc::invalid_argument, fmt::format("{} is there twice", name));
        }
        if (name == "cursor") {
            page.after = value;
            continue;
        }
        if (name != "limit") {
            return base::fail(base::errc::invalid_argument,
                              fmt::format("there is no parameter '{}' here; there are {}", name, known));
        }
        const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), page.limit);
        if (status != std::errc() || end != value.data() + value.size() || page.limit == 0 || page.limit > list_items_max) {
            return base::fail(base::errc::invalid_argument,
                              fmt::format("limit: '{}' is not a number from 1 to {}", value, list_items_max));
        }
    }
    return page;
}

std::string families_json(std::span<const tables::table_info> tables, const list_page& page) {
    std::map<std::string, std::map<base::tick, const tables::family_binding*>> families; // tables by their periods
    for (const auto& t : tables) {
        if (t.family) {
            families[t.family->family][t.family->period_start] = &*t.family;
        }
    }
    list_printer list("families", page);
    for (const auto& [name, periods] : behind(families, page)) {
        const auto& newest = *periods.rbegin()->second;
        const auto json = fmt::format(R"({{"name":{},"period":"{}","spread":{},"tables":{},"oldest":"{}","newest":"{}"}})",
                                      quoted(name), tables::period_text(newest.period), newest.spread, periods.size(),
                                      base::to_text(periods.begin()->first), base::to_text(newest.period_start));
        if (!list.add(name, json)) {
            break;
        }
    }
    return list.finish();
}

std::vector<tables::table_info> tables_of_page(std::span<const tables::table_info> all, const list_page& page) {
    std::vector<tables::table_info> some;
    std::ranges::copy_if(all, std::back_inserter(some), [&](const tables::table_info& t) { return t.name > page.after; });
    std::ranges::sort(some, {}, &tables::table_info::name);
    some.resize(std::min(some.size(), page.limit + 1));
    return some;
}

std::string tables_json(std::span<const tables::table_info> tables, const std::map<base::table_id, table_figures>& figures,
                        const list_page& page) {
    list_printer list("tables", page);
    for (const auto& t : tables) {
        auto json = fmt::format(R"({{"name":{},"created":"{}")", quoted(t.name), base::to_text(t.created));
        if (t.family) {
            json += fmt::format(R"(,"family":{},"period":"{}","start":"{}")", quoted(t.family->family),
                                tables::period_text(t.family->period), base::to_text(t.family->period_start));
        }
        const auto found = figures.find(t.id);
        json += figures_members(found == figures.end() ? table_figures() : found->second);
        if (!list.add(t.name, json + '}')) {
            break;
        }
    }
    return list.finish();
}

void family_facts::add(std::string_view partition_key, unsigned spread, const tables::row_view& row) {
    if (spread > 1) {
        base::take_spread_suffix(partition_key);
    }
    switch (_what) {
    case fact_kind::series: _bytes += _series.emplace(partition_key).second ? partition_key.size() + node_bytes : 0; return;
    case fact_kind::tags: return add_tags(partition_key);
    case fact_kind::fields: return add_fields(row);
    }
}

void family_facts::add_tags(std::string_view series) {
    std::vector<tables::tag> tags;
    base::text_arena texts;
    if (!tables::parse_series(series, tags, texts)) {
        return; // somebody's own row among the points
    }
    for (const auto& t : tags) {
        std::string pair;
        tables::append_series(std::span(&t, 1), pair);
        const auto bytes = pair.size() + node_bytes;
        _bytes += _tags.insert(std::move(pair)).second ? bytes : 0;
    }
}

void family_facts::add_fields(const tables::row_view& row) {
    for (size_t i = 0; i < row.size(); ++i) {
        std::string field;
        tables::append_field_name(row.of_shape()[i].name, field);
        const auto [found, is_new] = _fields.try_emplace(std::move(field));
        found->second.insert(type_name(row.of_shape()[i].type));
        _bytes += is_new ? found->first.size() + 2 * node_bytes : 0;
    }
}

std::string family_facts::series_json(const list_page& page) const {
    list_printer list("series", page);
    std::vector<tables::tag> tags;
    base::text_arena texts;
    for (const auto& series : behind(_series, page)) {
        texts.reset();
        if (!tables::parse_series(series, tags, texts)) {
            tags.clear(); // somebody's own row among the points
        }
        auto json = fmt::format("{{\"series\":{},\"tags\":{{", quoted(series));
        for (size_t i = 0; i < tags.size(); ++i) {
            json += fmt::format("{}{}:{}", i == 0 ? "" : ",", quoted(tags[i].name), quoted(tags[i].value));
        }
        if (!list.add(series, json + "}}")) {
            break;
        }
    }
    return list.finish();
}

std::string family_facts::tags_json(const list_page& page) const {
    std::vector<tables::tag> tags;
    base::text_arena texts;
    // A page is cut among values.
    std::string out = "{\"tags\":[";
    std::string key;
    std::string last;
    size_t count = 0;
    bool has_more = false;
    for (const auto& pair : behind(_tags, page)) {
        has_more = count == page.limit;
        texts.reset();
        if (has_more || !tables::parse_series(pair, tags, texts)) {
            break;
        }
        const bool is_new_key = count == 0 || tags[0].name != key;
        if (is_new_key) {
            out += count == 0 ? "\n" : "]},\n";
            key = tags[0].name;
            out += fmt::format("{{\"key\":{},\"values\":[", quoted(key));
        }
        out += fmt::format("{}{}", is_new_key ? "" : ",", quoted(tags[0].value));
        last = pair;
        ++count;
    }
    out += fmt::format("{}],\"cursor\":{}}}\n", count == 0 ? "" : "]}", has_more ? quoted(last) : "null");
    return out;
}

std::string family_facts::fields_json(const list_page& page) const {
    list_printer list("fields", page);
    for (const auto& [name, types] : behind(_fields, page)) {
        std::string json = fmt::format("{{\"name\":{},\"types\":[", quoted(name));
        for (bool is_first = true; const auto type : types) {
            json += fmt::format("{}\"{}\"", is_first ? "" : ",", type);
            is_first = false;
        }
        if (!list.add(name, json + "]}")) {
            break;
        }
    }
    return list.finish();
}

} // namespace query
