// Random tails, ranges and aggregates over random rows, beside a flat list of the same rows that is filtered and sorted as a
// whole. Some rows are merged from several writes. Meanwhile rows are written again as they are, flushed, sealed and merged: that
// changes where an answer lies, not what it is. DOWNTICK_QUERIES sets the number of questions, DOWNTICK_SEED the seed of the
// first store; the next ones count up from it.

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <ranges>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <seastar/core/semaphore.hh>
#include <seastar/core/thread.hh>
#include <simdjson.h>

#include "base/level.hh"
#include "base/ticks.hh"
#include "query/core/time_text.hh"
#include "tests/lib/from_environment.hh"
#include "tests/reactor/query/query_store.hh"

namespace {

using namespace query_test;
using query::verb;

constexpr int64_t second = 1'000'000'000;
constexpr int64_t now = query_store::now_ns;

// A filter and what it means.
struct condition {
    std::string text;
    std::function<bool(const stored_row&)> holds;
};

class oracle_run {
public:
    // Now and then without room for more than one small series index, or for none.
    explicit oracle_run(uint64_t seed)
        : _random(seed), _disturbance(seed + 1), _store(seed % 4 == 0   ? 20'000
                                                        : seed % 4 == 1 ? 0
                                                                        : 16u << 20) {
        _store.declare("cpu", {});
        _store.declare("mem", {.spread = 3});
        _store.declare("net", {.period = tables::period_kind::hour});
        // A name that is nowhere cannot be asked for.
        for (const auto* family : {"cpu", "mem", "net"}) {
            _store.put_point(family, now, {}, fields());
        }
        _store.put_entity("audit", "p", base::inverted_text(base::tick_from_unix_ns(now)), fields());
        for (const auto* source : {"web", "db"}) {
            _store.put_record(source, now + static_cast<int64_t>(100 + ++_records_count), 6, "begins");
        }
    }

    void write_some() {
        const auto alone = seastar::get_units(_writing, 1).get();
        for (int i = 0; i < 40; ++i) {
            // Few distinct times, so that there are ties, and some in other periods.
            const int64_t time = now - static_cast<int64_t>(roll(200)) * second - static_cast<int64_t>(roll(4)) * 3600 * second -
                                 static_cast<int64_t>(roll(3)) * 86'400 * second + static_cast<int64_t>(roll(3)) * 50;
            if (roll(5) == 0) {
                _store.put_record(some({"web", "db"}), time + static_cast<int64_t>(100 + ++_records_count),
                                  static_cast<uint8_t>(roll(8)), some({"all is ok", "connection lost", "ok again"}),
                                  {.host = some({"", "a", "b", "h"}),
                                   .app = some({"", "nginx"}),
                                   .fields = roll(2) == 0 ? fields() : std::vector<stored_field>(),
                                   .shard = static_cast<unsigned>(roll(2))});
                continue;
            }
            if (roll(5) == 0) {
                const auto key = base::inverted_text(base::tick_from_unix_ns(time));
                _store.put_entity("audit", fmt::format("p{}", roll(4)), roll(10) == 0 ? "no time" : key + some({"", "a", "b"}),
                                  fields());
                continue;
            }
            std::map<std::string, std::string> tags;
            if (roll(6) != 0) {
                tags["host"] = some({"a", "b", "c,d"}); // else it may be a field
            }
            if (roll(3) == 0) {
                tags["dc"] = some({"x", "y"});
            }
            if (roll(9) == 0) {
                tags["u"] = "7"; // also the name of a field
            }
            _store.put_point(some({"cpu", "mem", "net"}), time, std::move(tags), fields());
        }
    }

    // Bursts of rows close to each other, with little before, between and behind: far more than a page, or than is looked at on
    // trial.
    void write_dense() {
        const auto alone = seastar::get_units(_writing, 1).get();
        for (int burst = 0; burst < 3; ++burst) {
            const int64_t begin = now - static_cast<int64_t>(roll(2 * 86'400)) * second;
            const int64_t apart = some_of<int64_t>({100, 10'000, 1'000'000, second});
            const auto rows = 2'000 + roll(5'000);
            for (uint64_t i = 0; i < rows; ++i) {
                _store.put_point("dense", begin + static_cast<int64_t>(i) * apart, {{"host", some({"a", "b", "c"})}}, fields());
            }
        }
        for (int i = 0; i < 20; ++i) {
            _store.put_point("dense", now - static_cast<int64_t>(roll(3 * 86'400)) * second, {{"host", "d"}}, fields());
            _store.put_record("dense", now - static_cast<int64_t>(roll(3 * 86'400)) * second + 100 + i, 6, "is dense");
        }
    }

    // All of them, page by page, or the first.
    void ask_dense() {
        const auto where = some_condition(1);
        const auto from = some({"dense", "family:dense", "*"});
        const auto passes = [&](const stored_row& r) {
            return (from == "*" || r.from.name == "dense") &&
                   (from != "family:dense" || r.from.kind == query::origin_kind::family) && where.holds(r);
        };
        auto expected = flat(passes, {});
        const size_t limit = 1 + roll(10'000);
        const bool is_descending = roll(4) == 0;
        if (is_descending) {
            std::ranges::reverse(expected);
        }
        const parameters list{
            {"from", from}, {"where", where.text}, {"order", is_descending ? "desc" : "asc"}, {"limit", std::to_string(limit)}};
        auto found = limit < 500 ? ask(_store, verb::range, list).rows : ask_all_pages(_store, list);
        if (limit < 500) {
            expected.resize(std::min(expected.size(), limit));
        }
        ASSERT_EQ(found.size(), expected.size()) << fmt::format("from {} where {} limit {}", from, where.text, limit);
        const auto differs = std::ranges::mismatch(found, expected).in1 - found.begin();
        ASSERT_EQ(found, expected) << fmt::format("from {} where {} limit {} first at {}", from, where.text, limit, differs);
    }

    // More fields for rows that are there, each in a write of its own.
    void merge_some() {
        const auto alone = seastar::get_units(_writing, 1).get();
        for (int i = 0; i < 20; ++i) {
            _store.merge_into(roll(_store.rows().size()), fields());
        }
    }

    // A series that nobody has asked about yet.
    void write_new_series() {
        const auto alone = seastar::get_units(_writing, 1).get();
        _store.put_point(some({"cpu", "mem", "net"}), now - static_cast<int64_t>(roll(200)) * second,
                         {{"host", fmt::format("new{}", ++_series_count)}}, fields());
    }

    void restart() {
        end();
        _store.restart();
        begin();
    }

    // In the background, until end().
    void begin() {
        _is_over = false;
        _disturbing = seastar::async([this] {
            while (!_is_over) {
                disturb();
                seastar::thread::yield();
            }
        });
    }
    void end() {
        _is_over = true;
        _disturbing.get();
    }

    void ask_something() {
        const auto names = some_origins();
        const auto where = roll(3) == 0 ? condition{"", [](const stored_row&) { return true; }} : some_condition(2);
        const bool is_tail = roll(2) == 0;
        parameters list{{"from", names.first}, {"where", where.text}};
        const auto select = roll(2) == 0 ? std::vector<std::string>() : some_names();
        if (!select.empty()) {
            list.emplace_back("select", fmt::format("\"{}\"", fmt::join(select, "\",\"")));
        }
        int64_t start = INT64_MIN;
        int64_t end = INT64_MAX;
        if (!is_tail && roll(3) != 0) {
            start = now - static_cast<int64_t>(roll(300'000)) * second;
            end = start + static_cast<int64_t>(1 + roll(100'000)) * second;
            list.emplace_back("start", std::to_string(start));
            list.emplace_back("end", std::to_string(end));
        }
        const bool is_descending = is_tail || roll(2) == 0;
        if (!is_tail) {
            list.emplace_back("order", is_descending ? "desc" : "asc");
        }
        auto expected =
            flat([&](const stored_row& r) { return names.second(r) && where.holds(r) && r.time_ns >= start && r.time_ns < end; },
                 select);
        if (is_descending) {
            std::ranges::reverse(expected);
        }
        const size_t limit = 1 + roll(60);
        list.emplace_back(is_tail ? "n" : "limit", std::to_string(limit));
        std::vector<std::string> found;
        if (is_tail) {
            auto answer = ask(_store, verb::tail, list);
            ASSERT_EQ(answer.error, "") << where.text;
            found = std::move(answer.rows);
            expected.resize(std::min(expected.size(), limit));
        } else {
            // Now and then with so little memory that pages become shorter than asked for.
            const auto memory = roll(4) == 0 ? size_t{400'000} * seastar::smp::count : query::budgets().memory_bytes_max;
            found = ask_all_pages(_store, list, {.memory_bytes_max = memory});
        }
        ASSERT_EQ(found, expected) << fmt::format("from {} where {} select {} tail {} desc {} limit {}", names.first, where.text,
                                                  fmt::join(select, ","), is_tail, is_descending, limit);
    }

    void aggregate_something() {
        const auto names = some_origins();
        const auto where = roll(2) == 0 ? condition{"", [](const stored_row&) { return true; }} : some_condition(1);
        const int64_t every = static_cast<int64_t>(1 + roll(5000)) * second;
        const int64_t start = now - static_cast<int64_t>(roll(300'000)) * second;
        const int64_t end = start + static_cast<int64_t>(1 + roll(300'000)) * second;
        const auto by = some({"", "host", "level", "app", "source", "host,level", "family,app"});
        const bool has_rate = roll(2) == 0; // without, columns are added up where they lie alone
        parameters list{
            {"from", names.first},
            {"where", where.text},
            {"start", std::to_string(start)},
            {"end", std::to_string(end)},
            {"every", fmt::format("{}s", every / second)},
            {"agg",
             fmt::format("count(*),count(u),count(host),sum(u),min(u),max(u),avg(u),stddev(u),p50(u),p99(u),first(u),last(u){}",
                         has_rate ? ",rate(u)" : "")},
            {"limit", std::to_string(1 + roll(30))},
            {"order", some({"asc", "desc"})}};
        if (!by.empty()) {
            list.emplace_back("by", by);
        }
        const auto group_of = [&by](const stored_row& r) {
            return group_text(by, [&r](const std::string& name) { return group_value(r, name); });
        };
        std::map<std::pair<int64_t, std::string>, bucket> expected;
        std::map<std::string, std::vector<const stored_row*>> series;
        for (const auto& r : _store.rows()) {
            if (!names.second(r) || !where.holds(r) || r.time_ns < start || r.time_ns >= end) {
                continue;
            }
            auto& b = expected[{r.time_ns / every * every, group_of(r)}];
            ++b.rows;
            const bool has_field = r.from.kind != query::origin_kind::source && r.fields.contains("host");
            b.hosts += has_field || !group_value(r, "host").empty() ? 1 : 0;
            b.counted += r.fields.contains("u") || r.tags.contains("u") ? 1 : 0;
            if (r.fields.contains("u")) {
                b.values.push_back({r.time_ns, r.fields.at("u").real});
                const auto records = r.from.kind == query::origin_kind::source ? group_of(r) : "";
                series[fmt::format("{} {} {} {}", r.from.name, r.partition_key, fmt::join(r.tags, ","), records)].push_back(&r);
            }
        }
        for (auto& [name, rows] : series) {
            // At one time the later key is the older row, as in the table.
            std::ranges::sort(rows, [](const stored_row* x, const stored_row* y) {
                return std::tie(x->time_ns, y->order_key) < std::tie(y->time_ns, x->order_key);
            });
            for (size_t i = 1; i < rows.size(); ++i) {
                const double from = rows[i - 1]->fields.at("u").real;
                const double to = rows[i]->fields.at("u").real;
                auto& b = expected[{rows[i]->time_ns / every * every, group_of(*rows[i])}];
                b.increase += to >= from ? to - from : to;
                ++b.steps;
            }
        }
        const auto found = ask_all_pages(_store, list);
        for (const auto& row : found) {
            compare(row, by, expected, every, has_rate);
        }
        EXPECT_EQ(found.size(), expected.size()) << list[0].second << " where " << where.text;
    }

    // Of each host, over all time: few rows have to be looked at for it.
    void ask_last_values() {
        const auto names = some_origins();
        const auto where = roll(2) == 0 ? condition{"", [](const stored_row&) { return true; }} : some_condition(1);
        std::map<std::string, std::map<int64_t, std::vector<double>>> expected; // by host, then time
        std::set<std::string> hosts;
        for (const auto& r : _store.rows()) {
            if (names.second(r) && where.holds(r)) {
                const auto host = group_value(r, "host");
                hosts.insert(host);
                if (r.fields.contains("u")) {
                    expected[host][r.time_ns].push_back(r.fields.at("u").real);
                }
            }
        }
        const auto found = ask_all_pages(
            _store, {{"from", names.first}, {"where", where.text}, {"agg", "last(u),last(\"n-1\")"}, {"by", "host"}});
        ASSERT_EQ(found.size(), hosts.size()) << names.first << " where " << where.text;
        for (const auto& json : found) {
            simdjson::dom::parser parser;
            simdjson::dom::element row = parser.parse(json);
            std::string_view host;
            double last = 0;
            if (row["tags"]["host"].get(host) != simdjson::SUCCESS) {
                host = "";
            }
            ASSERT_EQ(row["fields"]["last(u)"].get(last) == simdjson::SUCCESS, expected.contains(std::string(host))) << json;
            if (const auto values = expected.find(std::string(host)); values != expected.end()) {
                EXPECT_TRUE(std::ranges::contains(values->second.rbegin()->second, last)) << json << " where " << where.text;
            }
        }
    }

private:
    struct bucket {
        size_t rows = 0;
        size_t hosts = 0;                               // rows that have one
        size_t counted = 0;                             // rows that have u, as a tag or a field
        std::vector<std::pair<int64_t, double>> values; // by time
        double increase = 0;
        size_t steps = 0;
    };

    // The values of the names of `by`, in their order.
    static std::string group_text(std::string_view by, const std::function<std::string(const std::string&)>& value_of) {
        std::string text;
        for (const auto name : std::views::split(by, ',')) {
            text += value_of(std::string(std::string_view(name))) + '|';
        }
        return text;
    }

    static void compare(const std::string& json, std::string_view by, std::map<std::pair<int64_t, std::string>, bucket>& expected,
                        int64_t every, bool has_rate) {
        simdjson::dom::parser parser;
        simdjson::dom::element row = parser.parse(json);
        const auto time = query::parse_time_ns(std::string_view(row["time"]), 0);
        const auto group = group_text(by, [&row](const std::string& name) {
            std::string_view value;
            return row["tags"][name].get(value) == simdjson::SUCCESS ? std::string(value) : "";
        });
        const auto found = expected.find({*time, group});
        ASSERT_NE(found, expected.end()) << json;
        const auto& b = found->second;
        const auto number = [&](const char* label) {
            double v = std::nan("");
            if (row["fields"][label].get(v) != simdjson::SUCCESS) {
                v = std::nan("");
            }
            return v;
        };
        const auto near = [&](const char* label, double wanted) {
            const double got = number(label);
            EXPECT_LE(std::abs(got - wanted), 1e-9 * std::max(1.0, std::abs(wanted)))
                << label << " of " << json << " wanted " << wanted;
        };
        near("count(*)", static_cast<double>(b.rows));
        near("count(u)", static_cast<double>(b.counted));
        near("count(host)", static_cast<double>(b.hosts));
        if (has_rate && b.steps > 0) {
            near("rate(u)", b.increase / (static_cast<double>(every) / 1e9));
        } else {
            EXPECT_TRUE(std::isnan(number("rate(u)"))) << json;
        }
        if (b.values.empty()) {
            EXPECT_TRUE(std::isnan(number("max(u)"))) << json;
            return;
        }
        std::vector<double> sorted;
        double sum = 0;
        for (const auto& [t, v] : b.values) {
            sorted.push_back(v);
            sum += v;
        }
        std::ranges::sort(sorted);
        const auto n = static_cast<double>(sorted.size());
        near("sum(u)", sum);
        near("avg(u)", sum / n);
        near("min(u)", sorted.front());
        near("max(u)", sorted.back());
        near("p50(u)", sorted[static_cast<size_t>(std::ceil(0.50 * n)) - 1]);
        near("p99(u)", sorted[static_cast<size_t>(std::ceil(0.99 * n)) - 1]);
        double squares = 0;
        for (double v : sorted) {
            squares += (v - sum / n) * (v - sum / n);
        }
        if (n > 1) {
            near("stddev(u)", std::sqrt(squares / (n - 1)));
        }
        // Of several values of the first or last time the least is first, the greatest last.
        near("first(u)", std::ranges::min(b.values).second);
        near("last(u)", std::ranges::max(b.values).second);
    }

    // As clients that try again, memory pressure, age and the compaction would.
    void disturb() {
        switch (_disturbance() % 100) {
        case 0: return _store.flush();
        case 1: return _store.merge();
        case 2: return _store.seal();
        default:
            const auto alone = seastar::get_units(_writing, 1).get();
            return _store.put_again(_disturbance() % _store.rows().size());
        }
    }

    uint64_t roll(uint64_t sides) { return _random() % sides; }
    template <class T>
    T some_of(std::initializer_list<T> of) {
        return *(of.begin() + roll(of.size()));
    }
    std::string some(std::initializer_list<const char*> of) { return *(of.begin() + roll(of.size())); }

    std::vector<stored_field> fields() {
        std::vector<stored_field> made;
        if (roll(4) != 0) {
            made.push_back({.name = "u", .type = tables::value_type::real, .real = static_cast<double>(roll(100)) / 4});
        }
        if (roll(2) == 0) {
            made.push_back(some_number("m"));
        }
        if (roll(2) == 0) {
            made.push_back({.name = "n-1", .type = tables::value_type::int64, .integer = static_cast<int64_t>(roll(10))});
        }
        if (roll(5) == 0) {
            made.push_back({.name = "host", .type = tables::value_type::string, .text = some({"a", "z"})});
        }
        if (roll(4) == 0 || made.empty()) {
            made.push_back({.name = "s", .type = tables::value_type::string, .text = some({"", "ok", "not ok"})});
        }
        return made;
    }

    // Of a select: fields, tags, keys and heads.
    std::vector<std::string> some_names() {
        std::vector<std::string> names{some({"u", "m", "n-1", "s"})};
        for (const auto* name : {"u", "m", "n-1", "s", "host", "dc", "PartitionKey", "RowKey", "level", "message"}) {
            if (roll(4) == 0 && !std::ranges::contains(names, name)) {
                names.emplace_back(name);
            }
        }
        return names;
    }

    // Whole or not, some where Doubles are further apart than whole numbers.
    stored_field some_number(const char* name) {
        constexpr int64_t large = int64_t{1} << 53;
        const auto whole = static_cast<int64_t>(roll(8)) - 4 + (roll(3) == 0 ? large : 0);
        switch (roll(3)) {
        case 0: return {.name = name, .type = tables::value_type::int32, .integer = static_cast<int32_t>(whole % 8)};
        case 1: return {.name = name, .type = tables::value_type::int64, .integer = whole};
        default:
            return {
                .name = name, .type = tables::value_type::real, .real = static_cast<double>(whole) + (roll(2) == 0 ? 0.5 : 0)};
        }
    }

    // Long doubles hold them all.
    static long double number_in(const stored_field& f) {
        return f.type == tables::value_type::real ? static_cast<long double>(f.real) : static_cast<long double>(f.integer);
    }
    static_assert(std::numeric_limits<long double>::digits >= 64);

    condition number_test() {
        const auto against = some_number("m");
        const auto bound = number_in(against);
        const auto text = against.type == tables::value_type::int64  ? fmt::format("{}L", against.integer)
                          : against.type == tables::value_type::real ? fmt::format("{:.1f}", against.real)
                                                                     : fmt::format("{}", against.integer);
        const std::pair<const char*, bool (*)(long double, long double)> tests[] = {{"eq", [](long double a, long double b) { return a == b; }},
                                                                                    {"ne", [](long double a, long double b) { return a != b; }},
                                                                                    {"lt", [](long double a, long double b) { return a < b; }},
                                                                                    {"le", [](long double a, long double b) { return a <= b; }},
                                                                                    {"gt", [](long double a, long double b) { return a > b; }},
                                                                                    {"ge", [](long double a, long double b) { return a >= b; }}};
        const auto& [word, holds] = tests[roll(std::size(tests))];
        return {fmt::format("m {} {}", word, text), [bound, holds](const stored_row& r) {
                    return r.fields.contains("m") && holds(number_in(r.fields.at("m")), bound);
                }};
    }

    // What a row has under a name that groups are made by; empty: nothing.
    static std::string group_value(const stored_row& r, const std::string& name) {
        const bool is_record = r.from.kind == query::origin_kind::source;
        if (name == query::name(r.from.kind)) {
            return r.from.name;
        }
        if (is_record) {
            return name == "host"    ? r.host
                   : name == "app"   ? r.app
                   : name == "level" ? std::string(*base::level_name(*r.level))
                                     : "";
        }
        return r.tags.contains(name) ? r.tags.at(name) : "";
    }

    using origin_test = std::function<bool(const stored_row&)>;
    std::pair<std::string, origin_test> some_origins() {
        const auto is = [](std::string name) { return [name](const stored_row& r) { return r.from.name == name; }; };
        switch (roll(7)) {
        case 0: return {"cpu", is("cpu")};
        case 1: return {"family:mem", is("mem")};
        case 2: return {"table:audit", is("audit")};
        case 3: return {"cpu,net,mem", [](const stored_row& r) { return r.from.kind == query::origin_kind::family; }};
        case 4: return {"source:web", is("web")};
        case 5:
            return {"web,cpu,table:audit",
                    [](const stored_row& r) { return r.from.name == "web" || r.from.name == "cpu" || r.from.name == "audit"; }};
        default: return {"*", [](const stored_row&) { return true; }};
        }
    }

    condition some_condition(int depth) {
        if (depth > 0 && roll(3) != 0) {
            auto a = some_condition(depth - 1);
            if (roll(4) == 0) {
                return {"not (" + a.text + ")", [a](const stored_row& r) { return !a.holds(r); }};
            }
            auto b = some_condition(depth - 1);
            const bool is_and = roll(2) == 0;
            return {fmt::format("({}) {} ({})", a.text, is_and ? "and" : "or", b.text),
                    [a, b, is_and](const stored_row& r) { return is_and ? a.holds(r) && b.holds(r) : a.holds(r) || b.holds(r); }};
        }
        return some_test();
    }

    // Of a record; or the tag, or the field of a series that has no such tag.
    static condition is_host(const std::string& host) {
        return {fmt::format("host eq '{}'", host), [host](const stored_row& r) {
                    if (const auto known = group_value(r, "host"); !known.empty()) {
                        return known == host;
                    }
                    return r.from.kind != query::origin_kind::source && r.fields.contains("host") &&
                           r.fields.at("host").text == host;
                }};
    }

    condition some_test() {
        switch (roll(13)) {
        case 11:
        case 12: return number_test();
        case 6: return {"level le 'error'", [](const stored_row& r) { return r.level && *r.level <= 3; }};
        case 7: return {"contains(message,'ok')", [](const stored_row& r) { return r.message.contains("ok"); }};
        case 0: return is_host(some({"a", "b", "c,d", "z"}));
        case 8:
        case 9: return is_host(fmt::format("new{}", 1 + roll(_series_count + 1)));
        case 10: {
            const auto host = some({"a", "z"});
            return {fmt::format("tag.host eq '{}'", host),
                    [host](const stored_row& r) { return r.tags.contains("host") && r.tags.at("host") == host; }};
        }
        case 1: return {"tag.dc ne 'x'", [](const stored_row& r) { return r.tags.contains("dc") && r.tags.at("dc") != "x"; }};
        case 2: {
            const auto bound = static_cast<double>(roll(25));
            return {fmt::format("field.u gt {:.1f}", bound),
                    [bound](const stored_row& r) { return r.fields.contains("u") && r.fields.at("u").real > bound; }};
        }
        case 3:
            return {"\"n-1\" le 4L",
                    [](const stored_row& r) { return r.fields.contains("n-1") && r.fields.at("n-1").integer <= 4; }};
        case 4: {
            const int64_t time = now - static_cast<int64_t>(roll(100'000)) * second;
            return {fmt::format("time ge {}L", time), [time](const stored_row& r) { return r.time_ns >= time; }};
        }
        default:
            return {"contains(s,'ok')",
                    [](const stored_row& r) { return r.fields.contains("s") && r.fields.at("s").text.contains("ok"); }};
        }
    }

    // All rows that pass, oldest first, ties in the documented order.
    std::vector<std::string> flat(const std::function<bool(const stored_row&)>& passes, const std::vector<std::string>& select) {
        std::vector<const stored_row*> chosen;
        for (const auto& r : _store.rows()) {
            if (passes(r)) {
                chosen.push_back(&r);
            }
        }
        std::ranges::sort(chosen, {}, [](const stored_row* r) { return std::tie(r->time_ns, r->from, r->table, r->order_key); });
        std::vector<std::string> rows;
        for (const auto* r : chosen) {
            rows.push_back(to_json(*r, select));
        }
        return rows;
    }

    std::mt19937_64 _random;
    std::mt19937_64 _disturbance;
    query_store _store;
    uint64_t _records_count = 0;
    uint64_t _series_count = 0;     // of new ones
    seastar::semaphore _writing{1}; // no row is written twice at a time
    seastar::future<> _disturbing = seastar::make_ready_future<>();
    bool _is_over = false;
};

// One store grows with its questions, and so does what the flat list costs; many questions go to several stores.
constexpr uint64_t queries_per_store = 1'000;

void ask_one_store(uint64_t seed, uint64_t queries) {
    SCOPED_TRACE(fmt::format("DOWNTICK_SEED={}", seed));
    oracle_run run(seed);
    run.begin();
    for (uint64_t i = 0; i < queries && !::testing::Test::HasFatalFailure(); ++i) {
        if (i % 50 == 0) {
            run.write_some();
            run.merge_some();
        }
        if (i % 7 == 0) {
            run.write_new_series();
        }
        if (i % 700 == 699) {
            run.restart();
        }
        if (i % 3 == 0) {
            run.aggregate_something();
        } else if (i % 10 == 1) {
            run.ask_last_values();
        } else {
            run.ask_something();
        }
    }
    run.end();
}

TEST(query_oracle, finds_what_a_flat_list_has) {
    auto seed = from_environment("DOWNTICK_SEED", std::random_device()());
    for (auto left = from_environment("DOWNTICK_QUERIES", queries_per_store); left > 0 && !::testing::Test::HasFatalFailure();
         ++seed) {
        const auto some = std::min(left, queries_per_store);
        ask_one_store(seed, some);
        left -= some;
    }
}

// Oldest first, a page is looked for in steps of time that depend on how many rows there are.
TEST(query_oracle, finds_what_a_flat_list_has_in_dense_data) {
    const auto seed = from_environment("DOWNTICK_SEED", std::random_device()());
    SCOPED_TRACE(fmt::format("DOWNTICK_SEED={}", seed));
    oracle_run run(seed);
    run.write_dense();
    run.begin();
    for (int i = 0; i < 30 && !::testing::Test::HasFatalFailure(); ++i) {
        run.ask_dense();
    }
    run.end();
}

} // namespace
