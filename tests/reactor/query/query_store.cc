#include "tests/reactor/query/query_store.hh"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <seastar/core/smp.hh>
#include <seastar/core/thread.hh>

#include "base/level.hh"
#include "base/spread.hh"
#include "ingest/core/family_names.hh"
#include "query/core/native/aggregate_decoder.hh"
#include "query/core/native/json_encoder.hh"
#include "query/core/native/page_end.hh"
#include "query/core/native/row_decoder.hh"
#include "query/core/native/row_time.hh"
#include "tables/core/family/point_key.hh"
#include "tables/core/family/property_name.hh"
#include "tables/core/family/series.hh"
#include "tables/core/key.hh"
#include "tables/core/period.hh"

namespace query_test {

using tables::value_type;

tables::value stored_field::value() const {
    switch (type) {
    case value_type::int64: return tables::value::of_int64(integer);
    case value_type::int32: return tables::value::of_int32(static_cast<int32_t>(integer));
    case value_type::boolean: return tables::value::of_boolean(integer != 0);
    case value_type::real: return tables::value::of_real(real);
    default: return tables::value::of_string(text);
    }
}

query_store::query_store(size_t series_index_bytes_max)
    : _disk({.operations = sim::history::drop, .yields_max = 0}), _series_index_bytes_max(series_index_bytes_max) {
    start();
}

void query_store::start() {
    _logs = std::make_unique<testing_lib::running_logs>(
        _disk, testing_lib::running_logs::options{.engine = {.shards_count = seastar::smp::count,
                                                             .cache_bytes_max = 200'000,
                                                             .flush = {.own_file_bytes = 2'000, .block_rows_max = 40}},
                                                  .logs = {.own_file_bytes = 5'000}});
    const query::executor_config config{
        .account = "account", .now_ns = [] { return now_ns; }, .series_index_bytes_max = _series_index_bytes_max};
    _executors = std::make_unique<seastar::sharded<query::executor>>();
    _executors
        ->start(config, std::ref(_logs->engine().all()), seastar::sharded_parameter([this] { return &_logs->all().local(); }))
        .get();
}

void query_store::stop() {
    _executors->stop().get();
    _executors = nullptr;
    _logs = nullptr;
}

query_store::~query_store() {
    stop();
}

void query_store::restart() {
    stop();
    start();
}

void query_store::declare(const std::string& family, family_options options) {
    _families[family] = options;
}

base::table_id query_store::table_for(const std::string& family, int64_t time_ns) {
    const auto options = _families[family];
    const auto tick = base::tick_from_unix_ns(time_ns);
    const auto name = ingest::table_name(ingest::plain_stem(family), options.period, tick);
    const auto [found, is_new] = _tables.try_emplace(name);
    if (is_new) {
        const tables::family_binding binding{family, options.period, tables::start_of(options.period, tick), options.spread};
        found->second = engine().create_table({"account", name, binding}).get().value().id;
    }
    return found->second;
}

base::table_id query_store::plain_table(const std::string& name) {
    const auto [found, is_new] = _tables.try_emplace(name);
    if (is_new) {
        found->second = engine().create_table({"account", name, {}}).get().value().id;
    }
    return found->second;
}

void query_store::upsert(base::table_id table, std::string_view partition_key, std::string_view row_key,
                         const std::vector<stored_field>& fields, tables::row_kind kind) {
    std::map<std::string, tables::value> sorted;
    for (const auto& f : fields) {
        sorted.emplace(f.name, f.value());
    }
    std::vector<tables::property> properties;
    for (const auto& [name, value] : sorted) {
        properties.push_back({name, value});
    }
    tables::row_batch_builder batch(table);
    batch.add(kind, tables::collate(partition_key), tables::collate(row_key), properties);
    const auto written = engine().upsert(engine().owner_of(tables::collate(partition_key)), batch.take()).get();
    ASSERT_TRUE(written) << base::to_string(written.error());
}

void query_store::remember(stored_row row) {
    if (!_keys.emplace(row.table, row.order_key).second) {
        std::erase_if(_rows, [&](const stored_row& r) { return r.table == row.table && r.order_key == row.order_key; });
    }
    _rows.push_back(std::move(row));
}

void query_store::put_point(const std::string& family, int64_t time_ns, std::map<std::string, std::string> tags,
                            std::vector<stored_field> fields) {
    std::vector<tables::tag> views;
    for (const auto& [name, value] : tags) {
        views.push_back({name, value});
    }
    std::string partition_key;
    ASSERT_TRUE(tables::append_series(views, partition_key));
    const auto spread = _families[family].spread;
    if (spread > 1) {
        base::append_spread_suffix(base::spread_bucket(time_ns, spread), partition_key);
    }
    const auto key = tables::point_key(time_ns);
    const auto table = table_for(family, time_ns);
    auto escaped = fields;
    for (auto& f : escaped) {
        f.name.clear();
        tables::append_property_name(fields[static_cast<size_t>(&f - escaped.data())].name, f.name);
    }
    upsert(table, partition_key, tables::view(key), escaped);
    stored_row row{{query::origin_kind::family, family}, time_ns, std::move(tags), {}, {}, {}, {}, table.value};
    row.order_key = tables::collate(partition_key) + '\0' + std::string(tables::view(key));
    for (auto& f : fields) {
        row.fields[f.name] = f;
    }
    remember(std::move(row));
}

void query_store::put_entity(const std::string& table, const std::string& partition_key, const std::string& row_key,
                             std::vector<stored_field> fields) {
    const auto id = plain_table(table);
    upsert(id, partition_key, row_key, fields);
    const auto time = query::row_time(query::origin_kind::table, row_key);
    if (!time) {
        return;
    }
    stored_row row{{query::origin_kind::table, table}, *time, {}, {}, partition_key, row_key, {}, id.value};
    row.order_key = tables::collate(partition_key) + '\0' + tables::collate(row_key);
    for (auto& f : fields) {
        row.fields[f.name] = f;
    }
    remember(std::move(row));
}

void query_store::write_over(const stored_row& row, std::vector<stored_field> fields, tables::row_kind kind) {
    for (auto& field : fields) {
        if (row.from.kind == query::origin_kind::family) {
            const auto name = std::exchange(field.name, {});
            tables::append_property_name(name, field.name);
        }
    }
    const auto end = row.order_key.find('\0');
    upsert(base::table_id{row.table}, tables::uncollate(row.order_key.substr(0, end)),
           tables::uncollate(row.order_key.substr(end + 1)), fields, kind);
}

void query_store::put_again(size_t index) {
    const auto row = _rows[index];
    if (row.from.kind == query::origin_kind::source) {
        return;
    }
    std::vector<stored_field> fields;
    for (const auto& [name, field] : row.fields) {
        fields.push_back(field);
    }
    write_over(row, std::move(fields), tables::row_kind::put);
}

void query_store::merge_into(size_t index, std::vector<stored_field> fields) {
    const auto row = _rows[index];
    if (row.from.kind == query::origin_kind::source) {
        return;
    }
    write_over(row, fields, tables::row_kind::merge);
    for (auto& f : fields) {
        _rows[index].fields[f.name] = f;
    }
}

void query_store::put_record(const std::string& source, int64_t time_ns, uint8_t level, const std::string& message,
                             record_options options) {
    std::vector<tables::property> fields;
    for (const auto& f : options.fields) {
        fields.push_back({f.name, f.value()});
    }
    const blobs::record record{.order = {.time_ns = time_ns},
                               .level = level,
                               .host = options.host,
                               .app = options.app,
                               .text = message,
                               .message = message,
                               .fields = fields};
    const auto done = _logs->all()
                          .invoke_on(options.shard % seastar::smp::count,
                                     [&](blobs::log_store& store) {
                                         return seastar::async([&] {
                                             return testing_lib::running_logs::append(store, source, record).has_value();
                                         });
                                     })
                          .get();
    ASSERT_TRUE(done);
    stored_row row{.from = {query::origin_kind::source, source}, .time_ns = time_ns};
    row.order_key = std::to_string(time_ns);
    row.level = level;
    row.message = message;
    row.host = options.host;
    row.app = options.app;
    for (auto& f : options.fields) {
        row.fields[f.name] = f;
    }
    remember(std::move(row));
}

// What the engine sets, the flat list cannot know.
static std::string without_timestamp(std::string json) {
    constexpr std::string_view member = ",\"Timestamp\":\"";
    if (const auto at = json.find(member); at != json.npos) {
        json.erase(at, json.find('"', at + member.size()) + 1 - at);
    }
    return json;
}

static answer ask_aggregates(query_store& store, const query::plan& plan, query::control& watch) {
    auto page = store.executor().aggregates(plan, watch).get();
    if (!page) {
        return {.error = fmt::format("fault {} {}", static_cast<int>(page.error().what), page.error().why.detail)};
    }
    answer result{.cursor = page->facts.cursor, .facts = page->facts};
    query::aggregate_decoder decoder(*page->sums);
    for (const auto* cell : page->cells) {
        query::append_json_row(decoder.decode(*cell), result.rows.emplace_back());
    }
    return result;
}

answer ask(query_store& store, query::verb verb, const parameters& list, const query::budgets& budgets) {
    std::vector<query::parameter> views;
    for (const auto& [name, text] : list) {
        views.push_back({name, text});
    }
    auto asked = query::parse_request(verb, views, query_store::now_ns);
    auto planned = asked ? store.executor().make_plan(std::move(*asked)) : std::unexpected(asked.error());
    if (!planned) {
        return {.error = planned.error().detail};
    }
    query::control watch(budgets, seastar::smp::count);
    watch.pass_damage();
    if (planned->asked.aggregates) {
        return ask_aggregates(store, *planned, watch);
    }
    auto page = store.executor().rows(*planned, watch).get();
    if (!page) {
        return {.error = fmt::format("fault {} {}", static_cast<int>(page.error().what), page.error().why.detail)};
    }
    answer result{.facts = page->facts};
    query::row_decoder decoder(*planned);
    const auto end = query::end_of_page(*planned, *page->rows);
    for (size_t i = 0; i < end.rows_count; ++i) {
        auto& json = result.rows.emplace_back();
        query::append_json_row(decoder.decode(*page->rows->finish()[i]), json);
        json = without_timestamp(json);
    }
    result.cursor = end.cursor;
    return result;
}

std::vector<std::string> ask_all_pages(query_store& store, parameters list, const query::budgets& budgets) {
    std::vector<std::string> rows;
    list.emplace_back("cursor", "");
    for (;;) {
        auto page = ask(store, query::verb::range, list, budgets);
        EXPECT_EQ(page.error, "");
        std::ranges::move(page.rows, std::back_inserter(rows));
        if (page.cursor.empty()) {
            return rows;
        }
        list.back().second = page.cursor;
    }
}

std::string to_json(const stored_row& row, const std::vector<std::string>& select) {
    using tables::value;
    std::vector<tables::tag> tags;
    for (const auto& [name, text] : row.tags) {
        tags.push_back({name, text});
    }
    std::vector<tables::property> fields;
    for (const auto& [name, field] : row.fields) {
        fields.push_back({name, field.value()});
    }
    std::vector<tables::property> head;
    if (row.from.kind == query::origin_kind::table) {
        head = {{"PartitionKey", value::of_string(row.partition_key)}, {"RowKey", value::of_string(row.row_key)}};
    }
    if (row.level) {
        const std::pair<const char*, const std::string*> texts[] = {{"app", &row.app}, {"host", &row.host}};
        for (const auto& [name, text] : texts) {
            if (!text->empty()) {
                head.push_back({name, value::of_string(*text)});
            }
        }
        head.push_back({"level", value::of_string(*base::level_name(*row.level))});
        head.push_back({"message", value::of_string(row.message)});
    }
    const auto is_left_out = [&select](const auto& named) {
        return !select.empty() && !std::ranges::contains(select, named.name);
    };
    std::erase_if(head, is_left_out);
    std::erase_if(tags, is_left_out);
    std::erase_if(fields, is_left_out);
    if (!select.empty() && row.level) {
        std::erase_if(fields, [](const tables::property& p) { return p.name == "host"; }); // of a record that is its own
    }
    std::string text;
    query::append_json_row({row.time_ns, &row.from, head, tags, fields}, text);
    return text;
}

} // namespace query_test
