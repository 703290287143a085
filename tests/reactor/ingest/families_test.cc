#include <gmock/gmock.h>
#include <seastar/core/when_all.hh>

#include "tables/core/dropped_periods.hh"
#include "tables/core/retention_policy.hh"
#include "tests/reactor/ingest/ingest_fixture.hh"

namespace {

using namespace testing_lib;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::UnorderedElementsAre;

class families_test : public ingest_http_test {};

TEST_F(families_test, a_name_that_a_user_owns_is_never_taken_over) {
    engine->create("cpu20261116");
    ASSERT_THAT(post("cpu v=1i"), HasSubstr("204"));
    EXPECT_THAT(rows_of("cpu20261116"), ElementsAre());
    EXPECT_THAT(table_names(), UnorderedElementsAre("cpu20261116", MatchesRegex("cpux[0-9a-f]{8}20261116")));
}

TEST_F(families_test, families_that_differ_in_case_stay_apart) {
    ASSERT_THAT(post("cpu v=1i\nCPU v=2i\n"), HasSubstr("204"));
    EXPECT_EQ(table_names().size(), 2u);
}

TEST_F(families_test, a_table_is_made_once_however_many_ask_for_it) {
    std::vector<seastar::future<base::expected<base::table_id>>> asked;
    const ingest::table_need need{"cpu", tables::period_kind::day, base::tick_from_unix_ns(noon_ns - 12 * ns_per_hour), 1};
    for (unsigned i = 0; i < 20; ++i) {
        asked.push_back(intake.invoke_on(i % seastar::smp::count, [need](ingest::intake& in) { return in.make_table(need); }));
    }
    const auto made = seastar::when_all_succeed(std::move(asked)).get();
    for (const auto& id : made) {
        EXPECT_EQ(id.value(), made.front().value());
    }
    EXPECT_THAT(table_names(), ElementsAre("cpu20261116"));
}

TEST_F(families_test, the_catalog_knows_the_real_name) {
    ASSERT_THAT(post("http\\ requests v=1i"), HasSubstr("204"));
    ASSERT_EQ(table_names().size(), 1u);
    const auto* info = (*engine)->catalog().find("account", table_names().front());
    EXPECT_EQ(info->family->family, "http requests");
    EXPECT_EQ(base::to_text(info->family->period_start), "2026-11-16T00:00:00Z");
}

TEST_F(families_test, the_next_table_is_there_before_its_period) {
    ASSERT_THAT(post("cpu v=1i"), HasSubstr("204"));
    intake.invoke_on_all(&ingest::intake::make_ahead).get();
    EXPECT_THAT(table_names(), ElementsAre("cpu20261116"));
    now_ns = noon_ns + 12 * ns_per_hour - ns_per_hour / 4;
    intake.invoke_on_all(&ingest::intake::make_ahead).get();
    EXPECT_THAT(table_names(), ElementsAre("cpu20261116", "cpu20261117"));
    now_ns = noon_ns + 13 * ns_per_hour;
    ASSERT_THAT(post("cpu v=2i"), HasSubstr("204"));
    EXPECT_EQ(rows_of("cpu20261117").size(), 1u);
    EXPECT_EQ(table_names().size(), 2u);
}

TEST_F(families_test, a_dropped_table_of_today_begins_anew_and_an_old_one_does_not) {
    ASSERT_THAT(post("cpu v=1i\ncpu v=1i 5\n"), HasSubstr("204"));
    ASSERT_TRUE((*engine)->drop_table("account", "cpu20261116").get());
    ASSERT_TRUE((*engine)->drop_table("account", "cpu19700101").get());
    // Which shard answers is chance, and all know it.
    for (int i = 0; i < 20; ++i) {
        EXPECT_THAT(post("cpu v=2i\ncpu v=2i 6\n"), HasSubstr("the time lies before the end of a period that has been dropped"));
    }
    EXPECT_EQ(rows_of("cpu20261116").size(), 1u);
    restart();
    EXPECT_THAT(post("cpu v=2i 6\n"), HasSubstr("the time lies before the end of a period that has been dropped"));
    EXPECT_THAT(table_names(), ElementsAre("cpu20261116"));
    ASSERT_TRUE((*engine)->set_attribute(tables::forget_dropped("account", "cpu")).get());
    EXPECT_THAT(post("cpu v=2i 6\n"), HasSubstr("204"));
}

TEST_F(families_test, a_new_period_begins_with_the_next_table) {
    ASSERT_THAT(post("cpu v=1i"), HasSubstr("204"));
    ASSERT_TRUE(
        (*engine)->set_attribute(tables::retention_edit("account", {.name = "cpu", .period = tables::period_kind::month})).get());
    now_ns = noon_ns + 12 * ns_per_hour - ns_per_hour / 4;
    intake.invoke_on_all(&ingest::intake::make_ahead).get();
    EXPECT_THAT(table_names(), ElementsAre("cpu202611", "cpu20261116"));
    for (int hours = 11; hours < 48; ++hours) {
        now_ns = noon_ns + hours * ns_per_hour;
        ASSERT_THAT(post("cpu v=2i"), HasSubstr("204"));
        intake.invoke_on_all(&ingest::intake::make_ahead).get();
    }
    EXPECT_THAT(table_names(), ElementsAre("cpu202611", "cpu20261116"));
    EXPECT_EQ(rows_of("cpu20261116").size(), 2u);
    EXPECT_EQ(rows_of("cpu202611").size(), 36u);
}

TEST_F(families_test, a_family_with_too_many_series_gets_no_more_and_others_do) {
    // Half of those that the memory of a shard is enough for.
    const size_t series_max = ingest::intake_config().memory_bytes / 256 / 2;
    std::string text;
    for (size_t i = 0; i < series_max; ++i) {
        text += fmt::format("m,i={} v=1i 5\n", i);
    }
    EXPECT_THAT(post(text + "m,i=0 v=2i 6\nm,i=more v=1i 5\nother,i=0 v=1i 5\n"),
                HasSubstr(fmt::format(R"("rejected":1,"lines":[{{"line":{},)", series_max + 2)));
    EXPECT_EQ(rows_of("other19700101").size(), 1u);
}

} // namespace
