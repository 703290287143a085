#include <gmock/gmock.h>
#include <seastar/core/when_all.hh>

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
    std::string reply;
    // Which shard answers is chance; one that never saw the old table makes a new one.
    for (int i = 0; i < 20 && !reply.contains("dropped"); ++i) {
        reply = post("cpu v=2i\ncpu v=2i 6\n");
    }
    EXPECT_EQ(rows_of("cpu20261116").size(), 1u);
    if (seastar::smp::count == 1) {
        EXPECT_THAT(reply, HasSubstr("the time lies in a period that has been dropped"));
    }
}

} // namespace
