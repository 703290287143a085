// Any bytes as parameters of /v1/tail and /v1/range: name=value, one a line. What is taken must keep to its bounds, a cursor of
// it must come back as it was, and of a plan for it each part must know its columns.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "query/core/native/aggregator.hh"
#include "query/core/native/encoder.hh"
#include "query/core/native/limits.hh"
#include "query/core/native/listing.hh"
#include "query/core/native/plan.hh"
#include "query/core/native/request.hh"
#include "query/core/native/row_matcher.hh"
#include "query/core/native/stored_columns.hh"

namespace {

constexpr int64_t now_ns = 1'794'821'400'000'000'000;

void require(bool law) {
    if (!law) {
        std::abort();
    }
}

void check(const query::request& r) {
    require(!r.from.empty() && r.from.size() <= query::from_items_max);
    require(r.limit > 0 && r.limit <= query::rows_max);
    require(!r.range.is_empty() || r.after.has_value());
    if (r.aggregates) {
        require(!r.aggregates->calls.empty() && r.aggregates->calls.size() <= query::aggregates_max);
        for (const int64_t time : {INT64_MIN, int64_t{-1}, int64_t{0}, now_ns, INT64_MAX}) {
            require(!r.aggregates->every_ns || r.aggregates->bucket_of(time) <= time);
        }
    }
    const query::cursor c{r.fingerprint, r.range,
                          r.after.value_or(query::position{1, {query::origin_kind::family, "f"}, 2, "p", "r"}), r.now_ns};
    const auto back = query::decode_cursor(query::encode_cursor(c));
    require(back && *back == c);
}

// A family, a table and a source, and all that is asked for of them.
void plan_for(query::request r) {
    r.from = {{query::from_item::kind::everything, {}}};
    const std::vector<tables::table_info> tables{
        {{1}, {}, "account", "f1", tables::family_binding{"f", tables::period_kind::day, base::tick_from_unix_ns(now_ns), 2}},
        {{2}, {}, "account", "t", {}}};
    const std::vector<std::string> sources{"s"};
    r.range = {};
    const auto planned = query::make_plan(std::move(r), {tables, sources});
    if (!planned) {
        require(!planned.error().detail.empty());
        return;
    }
    require(planned->parts.size() == 3);
    for (uint32_t part = 0; part < planned->parts.size(); ++part) {
        (void)query::stored_columns(*planned, part);
        query::row_matcher(planned->where, planned->origin_of(planned->parts[part]), planned->parts[part].spread);
    }
    if (planned->asked.aggregates) {
        (void)query::aggregator(*planned, 0).slots();
    }
    (void)query::column_set(*planned).columns();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    std::vector<query::parameter> parameters;
    while (!rest.empty() && parameters.size() < 64) {
        const auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        const auto equals = std::min(line.find('='), line.size());
        parameters.push_back({line.substr(0, equals), line.substr(std::min(equals + 1, line.size()))});
    }
    for (const auto v : {query::verb::tail, query::verb::range}) {
        if (const auto parsed = query::parse_request(v, parameters, now_ns)) {
            check(*parsed);
            plan_for(*parsed);
        } else {
            require(!parsed.error().detail.empty());
        }
    }
    (void)query::parse_list_page(parameters).has_value();
    if (!parameters.empty()) {
        (void)query::choose_format(parameters[0].name).has_value();
        (void)query::decode_cursor(parameters[0].value).has_value();
    }
    return 0;
}
