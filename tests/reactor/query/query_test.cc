// Questions to families and plain tables, one thing at a time.

#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/ticks.hh"
#include "tests/reactor/query/query_store.hh"

namespace {

using namespace query_test;
using query::verb;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Lt;
using ::testing::Not;
using ::testing::SizeIs;

constexpr int64_t second = 1'000'000'000;
constexpr int64_t day = 86'400 * second;
constexpr int64_t now = query_store::now_ns;

stored_field integer(std::string name, int64_t value) {
    return {.name = std::move(name), .type = tables::value_type::int64, .integer = value};
}

std::string tick_key(int64_t time_ns, std::string suffix = "") {
    return base::inverted_text(base::tick_from_unix_ns(time_ns)) + suffix;
}

class query_test_case : public ::testing::Test {
protected:
    // Ten points of two hosts, a second apart, the last one now.
    void put_ten() {
        for (int i = 0; i < 10; ++i) {
            store.put_point("cpu", now - (9 - i) * second, {{"host", i % 2 == 0 ? "a" : "b"}}, {integer("n", i)});
        }
    }
    // The field n of each row, in the order of the answer.
    std::vector<int> numbers(const answer& a) {
        EXPECT_EQ(a.error, "");
        std::vector<int> found;
        for (const auto& row : a.rows) {
            found.push_back(std::stoi(row.substr(row.find("\"n\":") + 4)));
        }
        return found;
    }

    query_store store;
};

TEST_F(query_test_case, tail_is_newest_first_over_all_series) {
    put_ten();
    EXPECT_THAT(numbers(ask(store, verb::tail, {{"from", "cpu"}, {"n", "4"}})), ElementsAre(9, 8, 7, 6));
}

TEST_F(query_test_case, a_point_comes_back_with_its_tags_and_fields) {
    store.put_point("web", now, {{"host", "a"}, {"path", "/x,y"}}, {integer("http code", 200)});
    EXPECT_THAT(ask(store, verb::tail, {{"from", "web"}}).rows,
                ElementsAre(R"({"time":"2026-11-16T09:30:00Z","family":"web","tags":{"host":"a","path":"/x,y"},)"
                            R"("fields":{"http code":200}})"));
}

TEST_F(query_test_case, tail_of_one_partition) {
    put_ten();
    EXPECT_THAT(numbers(ask(store, verb::tail, {{"from", "cpu"}, {"partition", "host=b"}, {"n", "3"}})), ElementsAre(9, 7, 5));
    EXPECT_THAT(ask(store, verb::tail, {{"from", "cpu"}, {"partition", "host=c"}}).rows, IsEmpty());
}

TEST_F(query_test_case, a_range_is_half_open_and_oldest_first) {
    put_ten();
    EXPECT_THAT(numbers(ask(store, verb::range, {{"from", "cpu"}, {"start", "-5s"}, {"end", "-2s"}})), ElementsAre(4, 5, 6));
    EXPECT_THAT(numbers(ask(store, verb::range, {{"from", "cpu"}, {"start", "-5s"}, {"end", "-2s"}, {"order", "desc"}})),
                ElementsAre(6, 5, 4));
}

TEST_F(query_test_case, a_nanosecond_is_a_difference) {
    store.put_point("cpu", now, {}, {integer("n", 0)});
    store.put_point("cpu", now + 1, {}, {integer("n", 1)});
    store.put_point("cpu", now + 2, {}, {integer("n", 2)});
    EXPECT_THAT(
        numbers(ask(store, verb::range, {{"from", "cpu"}, {"start", std::to_string(now + 1)}, {"end", std::to_string(now + 2)}})),
        ElementsAre(1));
}

TEST_F(query_test_case, periods_are_crossed_both_ways) {
    for (int i = 0; i < 6; ++i) {
        store.put_point("cpu", now - (5 - i) * day, {{"host", "a"}}, {integer("n", i)});
    }
    EXPECT_THAT(numbers(ask(store, verb::tail, {{"from", "cpu"}, {"n", "5"}})), ElementsAre(5, 4, 3, 2, 1));
    EXPECT_THAT(numbers(ask(store, verb::range, {{"from", "cpu"}, {"limit", "5"}})), ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(query_test_case, a_spread_series_is_one_series) {
    store.declare("hot", {.spread = 7});
    for (int i = 0; i < 20; ++i) {
        store.put_point("hot", now - (19 - i) * second, {{"host", "a"}}, {integer("n", i)});
    }
    EXPECT_THAT(numbers(ask(store, verb::tail, {{"from", "hot"}, {"n", "3"}})), ElementsAre(19, 18, 17));
    EXPECT_THAT(numbers(ask(store, verb::tail, {{"from", "hot"}, {"n", "2"}, {"partition", "host=a"}})), ElementsAre(19, 18));
    EXPECT_THAT(numbers(ask(store, verb::tail, {{"from", "hot"}, {"n", "1"}, {"where", "host eq 'a'"}})), ElementsAre(19));
}

TEST_F(query_test_case, pages_go_on_behind_their_cursor) {
    put_ten();
    // Ties too: the same time in several series.
    for (int i = 10; i < 20; ++i) {
        store.put_point("cpu", now, {{"host", std::to_string(i)}}, {integer("n", i)});
    }
    for (const std::string order : {"asc", "desc"}) {
        EXPECT_EQ(ask_all_pages(store, {{"from", "cpu"}, {"order", order}, {"limit", "3"}}),
                  ask_all_pages(store, {{"from", "cpu"}, {"order", order}, {"limit", "1000"}}));
    }
    EXPECT_THAT(ask_all_pages(store, {{"from", "cpu"}, {"limit", "3"}}), SizeIs(20));
}

TEST_F(query_test_case, a_cursor_fits_only_its_own_question) {
    put_ten();
    const auto first = ask(store, verb::range, {{"from", "cpu"}, {"limit", "3"}});
    const auto other = ask(store, verb::range, {{"from", "cpu"}, {"order", "desc"}, {"limit", "3"}, {"cursor", first.cursor}});
    EXPECT_THAT(other.error, HasSubstr("another query"));
}

TEST_F(query_test_case, where_sees_tags_fields_time_and_family) {
    put_ten();
    const auto with = [&](std::string where) { return numbers(ask(store, verb::tail, {{"from", "cpu"}, {"where", where}})); };
    EXPECT_THAT(with("host eq 'b' and n gt 4L"), ElementsAre(9, 7, 5));
    EXPECT_THAT(with("tag.host eq 'a' and time ge -3s"), ElementsAre(8, 6));
    EXPECT_THAT(with("field.n eq 3L or startswith(host,'x')"), ElementsAre(3));
    EXPECT_THAT(with("family eq 'cpu' and n lt 2L"), ElementsAre(1, 0));
    EXPECT_THAT(with("field.host eq 'a'"), IsEmpty());
    EXPECT_THAT(with("not (host eq 'a') and matchesPattern(host,'^b$') and n ge 9L"), ElementsAre(9));
}

TEST_F(query_test_case, a_level_compares_by_severity_whatever_it_is_stored_as) {
    int n = 0;
    for (const auto* level : {"debug", "warn", "ERR", "fatal", "bogus"}) {
        store.put_point("log", now + n, {{"level", level}}, {integer("n", n)});
        ++n;
    }
    EXPECT_THAT(numbers(ask(store, verb::range, {{"from", "log"}, {"where", "level le 'error'"}})), ElementsAre(2, 3));
}

TEST_F(query_test_case, select_cuts_columns) {
    store.put_point("cpu", now, {{"host", "a"}, {"dc", "x"}}, {integer("n", 1), integer("m", 2)});
    EXPECT_THAT(ask(store, verb::tail, {{"from", "cpu"}, {"select", "n,tag.dc"}}).rows[0],
                HasSubstr(R"("tags":{"dc":"x"},"fields":{"n":1})"));
}

TEST_F(query_test_case, select_is_right_for_points_that_were_written_in_several_parts) {
    store.put_point("cpu", now, {{"host", "a"}}, {integer("x", 1)});
    store.merge_into(0, {integer("y", 2)});
    store.put_point("cpu", now - second, {{"host", "a"}}, {integer("y", 10)});
    store.merge_into(1, {integer("z", 99)});
    for (const auto v : {verb::tail, verb::range}) {
        auto found = ask(store, v, {{"from", "cpu"}, {"select", "y"}});
        std::ranges::sort(found.rows);
        EXPECT_THAT(found.rows, ElementsAre(HasSubstr(R"("fields":{"y":10})"), HasSubstr(R"("fields":{"y":2})")));
    }
}

TEST_F(query_test_case, rows_of_a_plain_table_without_a_time_are_counted) {
    store.put_entity("audit", "p", tick_key(now, "-x"), {integer("n", 1)});
    store.put_entity("audit", "p", "readme", {integer("n", 2)});
    store.put_entity("audit", "q", tick_key(now - second), {integer("n", 3)});
    const auto found = ask(store, verb::tail, {{"from", "table:audit"}});
    EXPECT_THAT(numbers(found), ElementsAre(1, 3));
    EXPECT_EQ(found.facts.rows_skipped, 1u);
    EXPECT_THAT(found.rows[0], HasSubstr(R"("table":"audit","PartitionKey":"p","RowKey":")"));
}

TEST_F(query_test_case, families_and_tables_are_one_answer) {
    put_ten();
    store.put_entity("audit", "p", tick_key(now - second / 2), {integer("n", 100)});
    EXPECT_THAT(numbers(ask(store, verb::tail, {{"from", "*"}, {"n", "3"}})), ElementsAre(9, 100, 8));
    EXPECT_THAT(numbers(ask(store, verb::tail, {{"from", "cpu,table:AUDIT"}, {"n", "2"}})), ElementsAre(9, 100));
}

TEST_F(query_test_case, a_name_that_is_nowhere_is_told) {
    put_ten();
    EXPECT_THAT(ask(store, verb::tail, {{"from", "gpu"}}).error, HasSubstr("no family or source 'gpu'"));
    EXPECT_THAT(ask(store, verb::tail, {{"from", "table:cpu"}}).error, HasSubstr("no table 'cpu'"));
}

TEST_F(query_test_case, aggregates_by_bucket_and_tag) {
    for (int i = 0; i < 8; ++i) {
        store.put_point("cpu", now + i * 15 * second, {{"host", i % 2 == 0 ? "a" : "b"}}, {integer("n", i)});
    }
    const auto found =
        ask(store, verb::range, {{"from", "cpu"}, {"agg", "max(n),count(*),avg(n)"}, {"every", "1m"}, {"by", "host"}});
    const auto row = [](int minute, char host, int max, int avg) {
        return fmt::format(R"--({{"time":"2026-11-16T09:{}:00Z","tags":{{"host":"{}"}},)--"
                           R"--("fields":{{"max(n)":{},"count(*)":2,"avg(n)":{}.0}}}})--",
                           minute, host, max, avg);
    };
    EXPECT_THAT(found.rows, ElementsAre(row(30, 'a', 2, 1), row(30, 'b', 3, 2), row(31, 'a', 6, 5), row(31, 'b', 7, 6)));
}

TEST_F(query_test_case, records_are_grouped_by_level_host_and_app) {
    const char* hosts[] = {"a", "b", ""};
    for (int i = 0; i < 6; ++i) {
        store.put_record("web", now + i, i % 2 == 0 ? 3 : 6, "m",
                         {.host = hosts[i % 3], .app = "nginx", .shard = static_cast<unsigned>(i)});
    }
    for (int round = 0; round < 2; ++round) {
        EXPECT_THAT(ask(store, verb::range, {{"from", "web"}, {"agg", "count(*)"}, {"by", "level"}}).rows,
                    ElementsAre(R"x({"time":null,"tags":{"level":"error"},"fields":{"count(*)":3}})x",
                                R"x({"time":null,"tags":{"level":"info"},"fields":{"count(*)":3}})x"));
        EXPECT_THAT(
            ask(store, verb::range, {{"from", "web"}, {"agg", "count(*),count(host),count(message)"}, {"by", "host,app,source"}})
                .rows,
            ElementsAre(
                HasSubstr(
                    R"x("tags":{"app":"nginx","source":"web"},"fields":{"count(*)":2,"count(host)":0,"count(message)":2})x"),
                HasSubstr(R"x("tags":{"host":"a","app":"nginx","source":"web"},"fields":{"count(*)":2,"count(host)":2)x"),
                HasSubstr(R"x("tags":{"host":"b")x")));
        EXPECT_THAT(ask(store, verb::range, {{"from", "web"}, {"agg", "count(*)"}, {"by", "hots"}}).rows,
                    ElementsAre(R"x({"time":null,"tags":{},"fields":{"count(*)":6}})x"));
        store.seal();
    }
}

TEST_F(query_test_case, points_and_records_share_their_groups) {
    put_ten();
    store.put_record("cpu", now, 6, "m", {.host = "a"});
    EXPECT_THAT(ask(store, verb::range, {{"from", "cpu"}, {"agg", "count(*),count(host)"}, {"by", "host"}}).rows,
                ElementsAre(HasSubstr(R"x({"host":"a"},"fields":{"count(*)":6,"count(host)":6})x"),
                            HasSubstr(R"x({"host":"b"},"fields":{"count(*)":5,"count(host)":5})x")));
}

TEST_F(query_test_case, a_comma_in_a_name_is_written_with_a_backslash) {
    store.put_point("a,b", now, {}, {integer("n", 7)});
    EXPECT_THAT(numbers(ask(store, verb::tail, {{"from", "a\\,b"}})), ElementsAre(7));
    EXPECT_THAT(ask(store, verb::tail, {{"from", "a,b"}}).error, HasSubstr("'a'"));
}

// Some 20 blocks of one series, and a small series.
TEST_F(query_test_case, counts_and_extremes_of_files_are_known_without_reading_blocks) {
    constexpr int points = 20'000;
    for (int i = 0; i < points; ++i) {
        const stored_field real{.name = "r", .type = tables::value_type::real, .real = i == 7 ? std::nan("") : i / 8.0};
        store.put_point("long", now - i * second, {{"host", "a"}}, i % 2 == 0 ? std::vector{integer("n", i)} : std::vector{real});
    }
    store.put_point("long", now, {{"host", "b"}}, {integer("n", -5)});
    store.flush();
    const auto sum_up = [&](const std::string& calls, parameters more = {}) {
        more.insert(more.end(), {{"from", "long"}, {"agg", calls}});
        return ask(store, verb::range, more);
    };
    const auto all = sum_up("count(*),count(n),min(n),max(n),min(r),max(r)", {{"where", "host eq 'a'"}});
    EXPECT_THAT(all.rows,
                ElementsAre(HasSubstr(
                    R"x("count(*)":20000,"count(n)":10000,"min(n)":0,"max(n)":19998,"min(r)":0.125,"max(r)":2499.875)x")));
    EXPECT_LE(all.facts.blocks_read, 2u) << "where a day begins a block can hold other series, too";
    const auto rows = sum_up("count(*)");
    EXPECT_THAT(rows.rows, ElementsAre(HasSubstr("\"count(*)\":20001")));
    EXPECT_EQ(rows.facts.blocks_read, 0u);
    // What ends within a block, or asks for a field, or is about each value, is read.
    const auto some = sum_up("count(*),max(n)", {{"start", "-3601s"}});
    EXPECT_THAT(some.rows, ElementsAre(HasSubstr("\"count(*)\":3603,\"max(n)\":3600")));
    EXPECT_GT(some.facts.blocks_read, 0u);
    EXPECT_THAT(sum_up("count(*)", {{"where", "n ge 19000"}}).rows, ElementsAre(HasSubstr("\"count(*)\":500")));
    EXPECT_THAT(sum_up("count(*)", {{"every", "1s"}, {"limit", "2"}}).rows, SizeIs(2));
    // A row that has another version elsewhere counts once.
    store.put_point("long", now - 10 * second, {{"host", "a"}}, {integer("n", 30'000)});
    store.flush();
    EXPECT_THAT(sum_up("count(*),max(n)").rows, ElementsAre(HasSubstr("\"count(*)\":20001,\"max(n)\":30000")));
}

TEST_F(query_test_case, a_rate_counts_through_a_reset) {
    int64_t at = now;
    for (const int value : {10, 40, 70, 5, 35}) {
        store.put_point("net", at, {{"if", "eth0"}}, {integer("bytes", value)});
        at += 10 * second;
    }
    // 30 + 30, the restart of the counter gives 5, and 30 more: in 60 seconds.
    EXPECT_THAT(ask(store, verb::range, {{"from", "net"}, {"agg", "rate(bytes)"}, {"every", "1m"}}).rows,
                ElementsAre(HasSubstr(fmt::format("\"rate(bytes)\":{}", 95.0 / 60))));
}

// Where the length of a family's periods was changed its tables overlap, and late points lie in the longer one.
TEST_F(query_test_case, a_rate_is_right_where_tables_overlap) {
    constexpr int64_t hour = 3'600 * second;
    const int64_t at = now / day * day + 8 * hour;
    store.declare("net", {.period = tables::period_kind::hour});
    store.put_point("net", at - hour, {{"if", "eth0"}}, {integer("bytes", 7'200)});
    store.put_point("net", at, {{"if", "eth0"}}, {integer("bytes", 10'800)});
    store.declare("net", {.period = tables::period_kind::day});
    store.put_point("net", at - 2 * hour, {{"if", "eth0"}}, {integer("bytes", 3'600)});
    store.put_point("net", at + hour, {{"if", "eth0"}}, {integer("bytes", 14'400)});
    EXPECT_THAT(ask(store, verb::range, {{"from", "net"}, {"agg", "rate(bytes)"}, {"every", "1h"}}).rows,
                ElementsAre(HasSubstr("{}"), HasSubstr("\"rate(bytes)\":1.0"), HasSubstr("\"rate(bytes)\":1.0"),
                            HasSubstr("\"rate(bytes)\":1.0")));
}

TEST_F(query_test_case, a_field_that_is_counted_is_not_the_tag_of_that_name) {
    store.put_point("net", now, {{"if", "eth0"}}, {integer("if", 1), integer("n", 1)});
    store.put_point("net", now + second, {{"if", "eth0"}}, {integer("n", 2)});
    store.put_record("net", now, 3, "up", {.host = "a", .app = {}, .fields = {integer("host", 5)}});
    const auto count = [&](std::string from, std::string what) {
        return ask(store, verb::range, {{"from", from}, {"agg", "count(" + what + ")"}}).rows;
    };
    for (int round = 0; round < 2; ++round) {
        EXPECT_THAT(count("family:net", "field.if"), ElementsAre(HasSubstr("\"count(if)\":1")));
        EXPECT_THAT(count("family:net", "if"), ElementsAre(HasSubstr("\"count(if)\":2"))) << "a name alone is the tag first";
        store.flush();
    }
    EXPECT_THAT(ask(store, verb::range, {{"from", "source:net"}, {"agg", "max(field.host)"}}).rows,
                ElementsAre(HasSubstr("\"max(host)\":5")));
}

TEST_F(query_test_case, a_field_that_is_selected_is_not_the_head_of_a_record_of_that_name) {
    store.put_record("net", now, 3, "up", {.host = "a", .app = {}, .fields = {integer("host", 5)}});
    EXPECT_THAT(ask(store, verb::tail, {{"from", "source:net"}, {"select", "field.host"}}).rows,
                ElementsAre(AllOf(HasSubstr("\"fields\":{\"host\":5}"), Not(HasSubstr("\"host\":\"a\"")))));
    EXPECT_THAT(ask(store, verb::tail, {{"from", "source:net"}, {"select", "host"}}).rows,
                ElementsAre(HasSubstr("\"host\":\"a\"")));
}

TEST_F(query_test_case, pages_of_aggregates_go_on) {
    for (int i = 0; i < 30; ++i) {
        store.put_point("cpu", now + i * second, {{"host", std::to_string(i % 5)}}, {integer("n", i)});
    }
    for (const std::string order : {"asc", "desc"}) {
        const parameters list{{"from", "cpu"}, {"agg", "sum(n)"}, {"every", "10s"}, {"by", "host"}, {"order", order}};
        auto paged = list;
        paged.emplace_back("limit", "4");
        EXPECT_EQ(ask_all_pages(store, paged), ask_all_pages(store, list));
        EXPECT_THAT(ask_all_pages(store, paged), SizeIs(15));
    }
}

TEST_F(query_test_case, series_tags_and_fields_are_listed) {
    store.declare("hot", {.spread = 3});
    for (int i = 0; i < 9; ++i) {
        store.put_point("hot", now + i, {{"dc", "x"}, {"host", i % 3 == 0 ? "a/b" : "c"}}, {integer("n-1", i)});
    }
    query::control watch({}, 1);
    const auto facts = [&](query::fact_kind what) { return store.executor().facts_of("hot", what, watch).get().value(); };
    EXPECT_EQ(facts(query::fact_kind::series).series_json({}), R"({"series":[
{"series":"dc=x,host=a%2Fb","tags":{"dc":"x","host":"a/b"}},
{"series":"dc=x,host=c","tags":{"dc":"x","host":"c"}}],"cursor":null}
)");
    EXPECT_EQ(facts(query::fact_kind::series).series_json({.after = "", .limit = 1}), R"({"series":[
{"series":"dc=x,host=a%2Fb","tags":{"dc":"x","host":"a/b"}}],"cursor":"dc=x,host=a%2Fb"}
)");
    EXPECT_EQ(facts(query::fact_kind::tags).tags_json({}), R"({"tags":[
{"key":"dc","values":["x"]},
{"key":"host","values":["a/b","c"]}],"cursor":null}
)");
    EXPECT_EQ(facts(query::fact_kind::tags).tags_json({.after = "dc=x", .limit = 1}), R"({"tags":[
{"key":"host","values":["a/b"]}],"cursor":"host=a%2Fb"}
)");
    EXPECT_EQ(facts(query::fact_kind::fields).fields_json({}), R"({"fields":[
{"name":"n-1","types":["int64"]}],"cursor":null}
)");
    EXPECT_EQ(store.executor().facts_of("cold", query::fact_kind::series, watch).get().error().why.code,
              base::errc::entity_not_found);
}

TEST_F(query_test_case, a_table_that_is_dropped_meanwhile_has_no_rows) {
    put_ten();
    auto asked = query::parse_request(verb::tail, std::vector<query::parameter>{{"from", "cpu"}}, now);
    const auto plan = store.executor().make_plan(std::move(*asked)).value();
    ASSERT_TRUE(store.engine().drop_table("account", "cpu20261116").get());
    query::control watch({}, 1);
    EXPECT_EQ(store.executor().rows(plan, watch).get().value().rows->rows_count(), 0u);
}

TEST_F(query_test_case, a_budget_that_is_used_up_is_named) {
    put_ten();
    auto asked = query::parse_request(verb::tail, std::vector<query::parameter>{{"from", "cpu"}}, now);
    const auto plan = store.executor().make_plan(std::move(*asked)).value();
    query::control no_time({.time_max = std::chrono::milliseconds(0)}, 1);
    EXPECT_EQ(store.executor().rows(plan, no_time).get().error().what, query::fault::over_time);
    query::control no_memory({.memory_bytes_max = 1}, 1);
    EXPECT_EQ(store.executor().rows(plan, no_memory).get().error().what, query::fault::over_memory);
    query::control no_scan({.rows_examined_max = 0}, 1);
    EXPECT_EQ(store.executor().rows(plan, no_scan).get().error().what, query::fault::over_scan);
    query::control nobody({}, 1);
    nobody.cancel();
    EXPECT_EQ(store.executor().rows(plan, nobody).get().error().what, query::fault::cancelled);
}

TEST_F(query_test_case, who_goes_while_waiting_for_a_turn_gives_it_up) {
    put_ten();
    auto& executor = store.executor();
    auto asked = query::parse_request(verb::range, std::vector<query::parameter>{{"from", "cpu"}}, now);
    const auto plan = executor.make_plan(std::move(*asked)).value();
    seastar::abort_source stays;
    seastar::abort_source goes;
    std::vector<seastar::future<query::result<seastar::semaphore_units<>>>> turns;
    for (size_t i = 0; i < query::queries_running_max; ++i) {
        turns.push_back(executor.admit(plan, stays));
    }
    auto waiting = executor.admit(plan, goes);
    goes.request_abort();
    EXPECT_EQ(waiting.get().error().what, query::fault::cancelled);
    for (auto& turn : std::exchange(turns, {})) {
        const auto held = turn.get(); // until the next one is asked for
        EXPECT_TRUE(held) << "the others have theirs, one behind the other";
    }
    // One that got its turn just then is cancelled before it begins.
    query::control watch({}, 1);
    const auto cancelled = watch.cancel_with(goes);
    EXPECT_EQ(executor.rows(plan, watch).get().error().what, query::fault::cancelled);
}

// Of each series one row is looked at, and a text is kept of it.
TEST_F(query_test_case, the_last_values_keep_to_the_budgets_too) {
    for (int i = 0; i < 200; ++i) {
        store.put_point("texts", now - i * second, {{"host", std::to_string(i)}},
                        {{.name = "t", .type = tables::value_type::string, .text = std::string(5'000, 'x')}});
    }
    const auto fault_of = [&](const std::string& by, const query::budgets& b) {
        parameters list{{"from", "texts"}, {"agg", "last(t)"}};
        if (!by.empty()) {
            list.emplace_back("by", by);
        }
        return ask(store, verb::range, list, b).error;
    };
    const query::budgets little{.memory_bytes_max = 500'000};
    EXPECT_THAT(fault_of("host", little), HasSubstr("fault 3")) << "two hundred texts do not fit";
    EXPECT_EQ(fault_of("", little), "") << "one does";
    EXPECT_THAT(fault_of("host", {.rows_examined_max = 10}), HasSubstr("fault 2"));
    EXPECT_THAT(fault_of("host", {.time_max = std::chrono::milliseconds(0)}), HasSubstr("fault 1"));
}

TEST_F(query_test_case, a_range_that_needs_too_much_memory_has_shorter_pages) {
    constexpr int points = 6'000;
    for (int i = 0; i < points; ++i) {
        store.put_point("wide", now - (i + 1) * second, {{"host", std::to_string(i % 7)}}, {integer("n", i)});
    }
    const query::budgets little{.memory_bytes_max = 300'000 * seastar::smp::count};
    for (const auto* order : {"asc", "desc"}) {
        const parameters list{{"from", "wide"}, {"limit", "5000"}, {"order", order}};
        const auto first = ask(store, verb::range, list, little);
        EXPECT_EQ(first.error, "");
        EXPECT_THAT(first.rows.size(), AllOf(Gt(100u), Lt(5'000u)));
        EXPECT_NE(first.cursor, "");
        const auto all = ask_all_pages(store, list);
        EXPECT_THAT(all, SizeIs(points));
        EXPECT_EQ(ask_all_pages(store, list, little), all);
    }
    // The newest n are n, or none.
    EXPECT_THAT(ask(store, verb::tail, {{"from", "wide"}, {"n", "5000"}}, {.memory_bytes_max = 100'000}).error,
                HasSubstr("fault 3"));
}

TEST_F(query_test_case, a_large_partition_costs_a_bounded_number_of_rows) {
    constexpr int series = 10;
    constexpr int points = 700;
    for (int s = 0; s < series; ++s) {
        for (int i = 0; i < points; ++i) {
            store.put_point("deep", now - i * second - s, {{"host", std::to_string(s)}}, {integer("n", i)});
        }
    }
    const auto found = ask(store, verb::tail, {{"from", "deep"}, {"n", "10"}});
    EXPECT_THAT(found.rows, SizeIs(10));
    // 256 for the walk over partitions, on each shard that looks, and a few for the answer.
    EXPECT_LT(found.facts.rows_examined, series * 400);
}

// Rows come from the engine in pieces, and what one brings bounds the next.
TEST_F(query_test_case, a_long_page_does_not_look_at_everything) {
    constexpr int series = 4;
    constexpr int points = 4'000;
    for (int i = 0; i < points; ++i) {
        for (int s = 0; s < series; ++s) {
            store.put_point("long", now - i * second - s, {{"host", std::to_string(s)}}, {integer("n", i)});
        }
    }
    const auto found = ask(store, verb::range, {{"from", "long"}, {"order", "desc"}, {"limit", "1500"}});
    EXPECT_THAT(found.rows, SizeIs(1'500));
    EXPECT_LT(found.facts.rows_examined, series * points * 3 / 4);
}

// How dense rows are is not known before they are looked at, nor where in the time of a table they are.
TEST_F(query_test_case, the_oldest_rows_are_found_without_looking_at_everything) {
    constexpr int series = 4;
    constexpr int points = 10'000;
    for (int i = 0; i < points; ++i) {
        for (int s = 0; s < series; ++s) {
            store.put_point("dense", now - i * int64_t{1'000'000} - s * int64_t{1'000}, {{"host", std::to_string(s)}},
                            {integer("n", i)});
        }
    }
    for (const auto* limit : {"10", "1500"}) {
        const auto found = ask(store, verb::range, {{"from", "dense"}, {"order", "asc"}, {"limit", limit}});
        EXPECT_EQ(found.rows.size(), std::stoul(limit));
        EXPECT_THAT(found.rows.front(), HasSubstr("\"n\":9999"));
        EXPECT_LT(found.facts.rows_examined, series * points * 3 / 4);
    }
}

} // namespace
