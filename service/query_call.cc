// Sets of entities: $filter to key ranges and a predicate, one page of the engine, JSON.

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/switch_to.hh>

#include "query/core/entity_matcher.hh"
#include "query/core/filter_parser.hh"
#include "query/core/key_range.hh"
#include "service/core/request_options.hh"
#include "service/filter_errors.hh"
#include "service/table_service.hh"
#include "tables/core/key.hh"

namespace service {
namespace {

// What the protocol gives a query; then it returns what it has and where to go on.
constexpr std::chrono::seconds scan_time_max(5);

class program_predicate final : public tables::row_predicate {
public:
    explicit program_predicate(const query::program& p) : _matcher(p) {}
    bool matches(const tables::entity_view& e) override { return _matcher.matches(e); }
    bool can_match(const tables::segment_view& s, size_t block) const override { return _matcher.can_match(s, block); }

private:
    query::entity_matcher _matcher;
};

class program_source final : public tables::predicate_source {
public:
    explicit program_source(query::program p) : _program(std::move(p)) {}
    std::unique_ptr<tables::row_predicate> make() const override { return std::make_unique<program_predicate>(_program); }

private:
    query::program _program;
};

// The position right behind a cut between keys; nothing for the end.
std::optional<tables::entity_key> position_of(const query::key_cut& cut) {
    auto pk = tables::collate(cut.partition_key());
    auto rk = tables::collate(cut.row_key());
    switch (cut.at()) {
    case query::key_cut::side::before_row: return tables::entity_key{std::move(pk), std::move(rk)};
    case query::key_cut::side::after_row: return tables::entity_key{std::move(pk), std::move(rk)}.successor();
    case query::key_cut::side::after_partition: return tables::entity_key{pk + '\0', {}};
    case query::key_cut::side::end: break;
    }
    return std::nullopt;
}

// What two ranges have in common; nothing when that is nothing.
std::optional<tables::key_range> common(tables::key_range a, const tables::key_range& b) {
    a.from = std::max(a.from, b.from);
    if (!a.before || (b.before && *b.before < *a.before)) {
        a.before = b.before;
    }
    return a.before && *a.before <= a.from ? std::nullopt : std::optional(std::move(a));
}

std::vector<tables::key_range> scan_ranges(const query::filter& filter, const std::optional<entity_position>& next,
                                           const std::optional<sas_grant>& grant) {
    tables::key_range allowed = grant ? grant->range : tables::key_range::all();
    if (next) {
        const tables::key_range rest{{tables::collate(next->partition_key), tables::collate(next->row_key.value_or(""))},
                                     std::nullopt};
        auto both = common(allowed, rest);
        if (!both) {
            return {};
        }
        allowed = std::move(*both);
    }
    std::vector<tables::key_range> ranges;
    for (const auto& range : query::key_ranges_of(filter)) {
        if (auto both = common({*position_of(range.from), position_of(range.to)}, allowed)) {
            ranges.push_back(std::move(*both));
        }
    }
    return ranges;
}

std::string print(const reply_context& context, std::string_view table, const selection& select, const tables::scan_page& page) {
    entity_printer printer(context, table, select);
    std::string body;
    std::string pk;
    std::string rk;
    printer.begin_set(body);
    for (const auto& row : page.rows) {
        printer.append_item(
            body, {tables::uncollate(row.partition_key, pk), tables::uncollate(row.row_key, rk), row.timestamp, row.row});
    }
    printer.end_set(body);
    return body;
}

} // namespace

seastar::future<outcome<entity_set>> table_service::query_set(const table_call& call, metadata_level level, base::table_id table,
                                                              std::string_view table_name, query_options options) {
    auto filter = query::parse_filter(options.filter, query::dialect::table_service);
    if (!filter) {
        co_return std::unexpected(to_service_error(filter.error()));
    }
    tables::scan_request request{.table = table,
                                 .ranges = scan_ranges(*filter, options.next, call.grant),
                                 .rows_max = options.rows_max,
                                 .deadline = std::min(call.deadline, std::chrono::steady_clock::now() + scan_time_max)};
    if (request.ranges.size() == 1) {
        if (const auto partition = request.ranges.front().only_partition()) {
            co_await seastar::coroutine::switch_to(lane_for(table, *partition, 0));
        }
    }
    auto program = query::program::compile(std::move(*filter));
    if (!program) {
        co_return std::unexpected(to_service_error(program.error()));
    }
    const program_source predicate(std::move(*program));
    if (!options.filter.empty()) {
        request.predicate = &predicate;
    }
    if (!options.select.is_everything()) {
        request.columns.emplace(options.select.names().begin(), options.select.names().end());
    }
    tables::scan_page page;
    if (options.rows_max > 0 && !request.ranges.empty()) {
        auto read = co_await _engine.scan(std::move(request));
        if (!read) {
            co_return std::unexpected(to_service_error(read.error()));
        }
        page = std::move(*read);
    }
    entity_set result{.json = print({level, call.base_url, call.account.account}, table_name, options.select, page),
                      .rows_examined = page.rows_examined,
                      .blocks_read = page.blocks_read};
    if (page.next) {
        result.next_partition_key = to_token(tables::uncollate(page.next->partition_key));
        result.next_row_key = to_token(tables::uncollate(page.next->row_key));
    }
    co_return result;
}

seastar::future<> table_service::query_entities(table_call& call) {
    const auto& name = std::get<entity_set_resource>(call.what).table;
    const auto table = find_table(call, name);
    auto options = parse_query_options(call.query);
    if (!table || !options) {
        co_return co_await call.send_error(!table ? table.error() : options.error());
    }
    auto set = co_await query_set(call, call.level, *table, name, std::move(*options));
    if (!set) {
        co_return co_await call.send_error(set.error());
    }
    const auto examined = std::to_string(set->rows_examined);
    const auto blocks = std::to_string(set->blocks_read);
    table_call::fields extra{{"x-downtick-rows-examined", examined}, {"x-downtick-blocks-read", blocks}};
    if (set->next_partition_key) {
        extra.push_back({"x-ms-continuation-NextPartitionKey", *set->next_partition_key});
        extra.push_back({"x-ms-continuation-NextRowKey", *set->next_row_key});
    }
    co_await call.send_json(200, std::move(extra), std::move(set->json));
}

} // namespace service
