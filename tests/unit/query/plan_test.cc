#include "query/core/native/plan.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/core/native/row_collector.hh"
#include "query/core/native/time_steps.hh"
#include "tables/core/family/point_key.hh"

namespace {

using namespace query;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr int64_t second = 1'000'000'000;
constexpr int64_t day = 86'400 * second;
constexpr int64_t midnight = 1'794'787'200 * second; // 2026-11-16

tables::table_info family_table(uint64_t id, std::string family, int64_t start_ns, uint32_t spread = 1) {
    return {{id},
            {},
            "account",
            family + std::to_string(id),
            tables::family_binding{family, tables::period_kind::day, base::tick_from_unix_ns(start_ns), spread}};
}

std::vector<tables::table_info> some_tables() {
    std::vector<tables::table_info> tables;
    for (uint64_t i = 0; i < 8; ++i) {
        tables.push_back(family_table(i + 1, "cpu", midnight - static_cast<int64_t>(7 - i) * day));
    }
    tables.push_back(family_table(20, "mem", midnight, 4));
    tables.push_back({{30}, {}, "account", "Audit", {}});
    return tables;
}

base::expected<plan> make(verb v, std::vector<parameter> parameters) {
    const auto tables = some_tables();
    const std::vector<std::string> sources{"cpu", "web"};
    return make_plan(parse_request(v, parameters, midnight + day / 2).value(), {tables, sources});
}

TEST(plan, a_name_is_the_family_and_the_source) {
    const auto p = make(verb::tail, {{"from", "cpu"}}).value();
    EXPECT_THAT(p.origins, ElementsAre(origin{origin_kind::family, "cpu"}, origin{origin_kind::source, "cpu"}));
    EXPECT_THAT(p.parts, SizeIs(8 + 1)) << "tables, and the source";
}

TEST(plan, everything_is_each_thing_once) {
    const auto p = make(verb::tail, {{"from", "*"}}).value();
    EXPECT_THAT(p.origins, ElementsAre(origin{origin_kind::family, "cpu"}, origin{origin_kind::family, "mem"},
                                       origin{origin_kind::table, "Audit"}, origin{origin_kind::source, "cpu"},
                                       origin{origin_kind::source, "web"}));
    EXPECT_THAT(p.parts, SizeIs(10 + 2)) << "tables, and the sources";
}

TEST(plan, a_family_s_table_can_be_asked_for_as_a_table) {
    const auto p = make(verb::tail, {{"from", "table:CPU8"}}).value();
    EXPECT_THAT(p.origins, ElementsAre(origin{origin_kind::table, "cpu8"}));
    EXPECT_EQ(p.parts[0].covers, time_range());
}

TEST(plan, tables_outside_the_range_are_left_out) {
    const auto p = make(verb::range, {{"from", "family:cpu"}, {"start", "-30h"}, {"end", "now"}}).value();
    EXPECT_THAT(p.parts, SizeIs(2));
    EXPECT_EQ(p.parts[0].covers, (time_range{midnight - day, midnight}));
}

TEST(plan, what_is_not_there_is_told_by_name) {
    EXPECT_THAT(make(verb::tail, {{"from", "disk"}}).error().detail, HasSubstr("no family or source 'disk'"));
    EXPECT_THAT(make(verb::tail, {{"from", "family:web"}}).error().detail, HasSubstr("no family 'web'"));
    EXPECT_THAT(make(verb::tail, {{"from", "source:mem"}}).error().detail, HasSubstr("no source 'mem'"));
    EXPECT_THAT(make(verb::tail, {{"from", "cpu"}, {"where", "matchesPattern(a,'(')"}}).error().detail, HasSubstr("where: "));
}

TEST(plan, a_live_tail_waits_for_names_to_come_but_not_for_tables) {
    const auto p = make(verb::tail, {{"from", "disk,source:new,web"}, {"follow", "true"}}).value();
    EXPECT_THAT(p.origins, ElementsAre(origin{origin_kind::source, "web"}));
    EXPECT_THAT(make(verb::tail, {{"from", "table:disk"}, {"follow", "true"}}).error().detail, HasSubstr("no table 'disk'"));
}

void expect_whole(const std::vector<time_range>& steps, time_range range, order_kind order) {
    ASSERT_FALSE(steps.empty());
    const bool is_ascending = order == order_kind::ascending;
    EXPECT_EQ(is_ascending ? steps.front().start_ns : steps.back().start_ns, range.start_ns);
    EXPECT_EQ(is_ascending ? steps.back().end_ns : steps.front().end_ns, range.end_ns);
    for (size_t i = 0; i + 1 < steps.size(); ++i) {
        EXPECT_FALSE(steps[i].is_empty());
        EXPECT_EQ(is_ascending ? steps[i].end_ns : steps[i].start_ns, is_ascending ? steps[i + 1].start_ns : steps[i + 1].end_ns);
    }
}

// The steps when each is done at once.
std::vector<time_range> all_steps(const plan& p) {
    std::vector<time_range> all;
    for (time_steps steps(p, p.asked.range, 100); const auto step = steps.next(); steps.take(1)) {
        all.push_back(*step);
    }
    return all;
}

TEST(time_steps, newest_first_a_step_is_a_table_then_two_then_four) {
    const auto p = make(verb::tail, {{"from", "family:cpu"}}).value();
    const auto steps = all_steps(p);
    expect_whole(steps, p.asked.range, order_kind::descending);
    EXPECT_EQ(steps[0].start_ns, midnight);
    EXPECT_EQ(steps[1].start_ns, midnight - 2 * day);
    EXPECT_EQ(steps[2].start_ns, midnight - 6 * day);
    EXPECT_FALSE(time_steps(p, p.asked.range, 100).bounds());
}

TEST(time_steps, oldest_first_the_whole_range_is_tried) {
    const auto p = make(verb::range, {{"from", "family:cpu"}}).value();
    EXPECT_THAT(all_steps(p), ElementsAre(p.asked.range));
    EXPECT_TRUE(time_steps(p, p.asked.range, 100).bounds());
}

TEST(time_steps, what_is_given_up_is_cut_to_a_small_part_of_where_rows_are) {
    const auto p = make(verb::range, {{"from", "family:cpu"}}).value();
    time_steps unknown(p, p.asked.range, 100);
    unknown.cut({});
    EXPECT_EQ(unknown.next(), (time_range{p.asked.range.start_ns, midnight - 7 * day + day / 8}));
    time_steps known(p, p.asked.range, 100);
    known.cut({midnight, midnight + 800});
    EXPECT_EQ(known.next(), p.asked.range) << "too short to be cut";
    EXPECT_FALSE(known.bounds());
    time_steps longer(p, p.asked.range, 100);
    longer.cut({midnight, midnight + 80'000});
    EXPECT_EQ(longer.next(), (time_range{p.asked.range.start_ns, midnight + 1'250}));
    longer.take(0);
    EXPECT_EQ(longer.next(), (time_range{midnight + 1'250, midnight + 6'250})) << "there is little in it";
}

TEST(time_steps, a_range_that_begins_long_before_its_tables_is_not_cut_in_the_void) {
    const auto p = make(verb::range, {{"from", "family:cpu"}, {"start", "1970-01-01T00:00:00Z"}}).value();
    for (const auto rows : {time_range{}, time_range{time_range::always, midnight}}) {
        time_steps steps(p, p.asked.range, 100);
        steps.cut(rows);
        EXPECT_EQ(steps.next()->start_ns, 0);
        EXPECT_GT(steps.next()->end_ns, midnight - 7 * day);
    }
}

// Rows at any density: a trial that looks at more than it may is given up. Where they are may be known, or has to be found out.
TEST(time_steps, trials_are_few_and_cover_everything_once) {
    const auto p = make(verb::range, {{"from", "family:cpu"}}).value();
    constexpr int64_t rows_count = 1'000'000;
    const int64_t first = midnight - 3 * day;
    for (const int64_t apart : {int64_t{100}, int64_t{100'000}, int64_t{250'000'000}}) {
        const auto rows_before = [&](int64_t time) {
            return time <= first ? 0 : std::min<int64_t>(rows_count, (static_cast<__int128>(time) - first) / apart);
        };
        for (const bool is_known : {false, true}) {
            std::vector<time_range> done;
            uint64_t spent = 0;
            size_t trials = 0;
            for (time_steps steps(p, p.asked.range, 100); const auto step = steps.next(); ++trials) {
                const auto rows = static_cast<uint64_t>(rows_before(step->end_ns) - rows_before(step->start_ns));
                if (const auto bounds = steps.bounds(); bounds && rows > bounds->rows_max) {
                    spent += bounds->rows_max;
                    steps.cut(is_known ? time_range{first, first + rows_count * apart} : time_range{});
                } else {
                    done.push_back(*step);
                    spent += rows;
                    steps.take(rows);
                }
            }
            expect_whole(done, p.asked.range, order_kind::ascending);
            EXPECT_LT(spent, rows_count * 3 / 2) << apart;
            EXPECT_LT(trials, is_known ? 30u : 100u) << apart;
        }
    }
}

TEST(time_steps, without_families_there_is_one) {
    for (const auto* order : {"asc", "desc"}) {
        const auto p = make(verb::range, {{"from", "table:audit"}, {"order", order}}).value();
        EXPECT_THAT(all_steps(p), ElementsAre(p.asked.range));
        EXPECT_FALSE(time_steps(p, p.asked.range, 100).bounds());
    }
}

TEST(row_collector, many_rows_are_put_in_order_step_by_step) {
    const auto p = make(verb::tail, {{"from", "family:cpu"}}).value();
    constexpr int64_t rows_count = 20'011;
    for (const size_t rows_max : {size_t{1}, size_t{4'096}, size_t{10'000}, size_t{30'000}}) {
        row_collector found(p, rows_max);
        tables::row_batch_builder batch(p.parts[7].id);
        for (int64_t i = 0; i < rows_count; ++i) {
            const int64_t time = midnight + i * 7919 % rows_count * 1000;
            batch.add_put("host=a", tables::view(tables::point_key(time)), {});
        }
        ASSERT_TRUE(found.add({7, batch.take()}));
        size_t steps = 1;
        while (found.finish_some()) {
            ++steps;
        }
        EXPECT_GE(steps, std::min<size_t>(rows_max, rows_count) / 4'096);
        const auto& rows = found.finish();
        ASSERT_THAT(rows, SizeIs(std::min<size_t>(rows_max, rows_count)));
        for (size_t i = 0; i < rows.size(); ++i) {
            ASSERT_EQ(rows[i]->time_ns, midnight + (rows_count - 1 - static_cast<int64_t>(i)) * 1000);
        }
    }
}

TEST(row_collector, keeps_the_first_rows_of_many_and_lets_the_rest_go) {
    const auto p = make(verb::tail, {{"from", "family:cpu"}}).value();
    constexpr int rows_max = 50;
    row_collector found(p, rows_max);
    const std::string text(1000, 'x');
    size_t most_bytes = 0;
    for (int i = 0; i < 20'000; ++i) {
        tables::row_batch_builder batch(p.parts[7].id);
        const int64_t time = midnight + i * 7919 % 20'000 * second / 1000;
        batch.add_put("host=a", tables::view(tables::point_key(time)),
                      std::vector<tables::property>{{"s", tables::value::of_string(text)}});
        ASSERT_TRUE(found.add({7, batch.take()}));
        if (found.is_loose()) {
            auto next = found.successor();
            while (auto piece = found.pack_some()) {
                ASSERT_TRUE(next.add(std::move(*piece)));
            }
            found = std::move(next);
        }
        most_bytes = std::max(most_bytes, found.bytes());
    }
    EXPECT_LT(most_bytes, 3u << 20);
    const auto& rows = found.finish();
    ASSERT_THAT(rows, SizeIs(rows_max));
    for (int i = 0; i < rows_max; ++i) {
        EXPECT_EQ(rows[i]->time_ns, midnight + (19'999 - i) * second / 1000);
    }
}

} // namespace
