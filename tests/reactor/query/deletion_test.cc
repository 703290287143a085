// Rows that are deleted are gone from every answer, whether they were in memory or in segments.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/row_deletion.hh"
#include "tests/reactor/query/query_store.hh"

namespace {

using namespace query_test;
using query::verb;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t second = 1'000'000'000;
constexpr int64_t now = query_store::now_ns;

class deletion_test : public ::testing::Test {
protected:
    // Ten points of two hosts, a second apart, the last one now.
    void put_ten() {
        for (int i = 0; i < 10; ++i) {
            store.put_point("cpu", now - (9 - i) * second, {{"host", i % 2 == 0 ? "a" : "b"}},
                            {{.name = "n", .type = tables::value_type::int64, .integer = i}});
        }
    }
    // The field n of each row there is, oldest first.
    std::vector<int> numbers() {
        std::vector<int> found;
        const auto left = ask(store, verb::range, {{"from", "cpu"}, {"limit", "10000"}});
        for (const auto& row : left.rows) {
            found.push_back(std::stoi(row.substr(row.find("\"n\":") + 4)));
        }
        EXPECT_EQ(count(), found.size());
        return found;
    }
    // As sums say, which look at files in another way.
    size_t count() {
        constexpr std::string_view label = "\"count(*)\":";
        const auto counted = ask(store, verb::range, {{"from", "cpu"}, {"agg", "count(*)"}}).rows;
        return counted.empty() ? 0 : std::stoul(counted[0].substr(counted[0].find(label) + label.size()));
    }
    // How many went, or why not.
    std::expected<uint64_t, std::string> remove(std::vector<query::parameter> which, query::budgets allowed = {}) {
        auto asked = query::parse_deletion("cpu", which, now);
        const auto planned = asked ? store.executor().make_plan(std::move(*asked)) : std::unexpected(asked.error());
        if (!planned) {
            return std::unexpected(planned.error().detail);
        }
        query::control watch(allowed, store.executor().shards_count());
        const auto report = query::delete_rows(store.executor(), *planned, watch).get();
        return report.outcome ? std::expected<uint64_t, std::string>(report.rows_count) : std::unexpected("over budget");
    }

    query_store store;
};

TEST_F(deletion_test, one_series_goes_and_the_others_stay) {
    put_ten();
    EXPECT_EQ(remove({{"where", "host eq 'a'"}}), 5u);
    EXPECT_THAT(numbers(), ElementsAre(1, 3, 5, 7, 9));
    EXPECT_EQ(remove({{"where", "host eq 'a'"}}), 0u) << "there is nothing left to delete";
}

TEST_F(deletion_test, a_range_of_time_is_half_open) {
    put_ten();
    EXPECT_EQ(remove({{"start", "-5s"}, {"end", "-2s"}}), 3u);
    EXPECT_THAT(numbers(), ElementsAre(0, 1, 2, 3, 7, 8, 9));
}

TEST_F(deletion_test, all_conditions_hold_together_and_fields_count) {
    put_ten();
    EXPECT_EQ(remove({{"where", "host eq 'b' and n gt 3"}, {"end", "now"}}), 2u);
    EXPECT_THAT(numbers(), ElementsAre(0, 1, 2, 3, 4, 6, 8, 9));
}

TEST_F(deletion_test, rows_in_segments_go_too_and_do_not_come_back_with_a_merge) {
    put_ten();
    store.flush();
    EXPECT_EQ(remove({{"where", "host eq 'a'"}}), 5u);
    EXPECT_THAT(numbers(), ElementsAre(1, 3, 5, 7, 9));
    store.flush();
    EXPECT_THAT(numbers(), ElementsAre(1, 3, 5, 7, 9));
    store.merge();
    EXPECT_THAT(numbers(), ElementsAre(1, 3, 5, 7, 9));
}

TEST_F(deletion_test, a_point_may_be_written_again) {
    put_ten();
    ASSERT_EQ(remove({{"end", "now"}}), 9u);
    put_ten();
    EXPECT_EQ(numbers().size(), 10u);
}

TEST_F(deletion_test, many_rows_go_in_many_batches) {
    constexpr int rows = 5'000;
    for (int i = 0; i < rows; ++i) {
        store.put_point("cpu", now - i * second, {{"host", std::to_string(i % 7)}},
                        {{.name = "n", .type = tables::value_type::int64, .integer = i}});
    }
    EXPECT_EQ(remove({{"where", "n ge 10"}}), static_cast<uint64_t>(rows) - 10);
    EXPECT_THAT(numbers(), ElementsAre(9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
}

TEST_F(deletion_test, everything_at_once_and_unknown_words_are_refused) {
    put_ten();
    EXPECT_THAT(remove({}).error(), HasSubstr("by where, start or end"));
    EXPECT_THAT(remove({{"where", ""}, {"start", ""}}).error(), HasSubstr("by where, start or end"));
    EXPECT_THAT(remove({{"where", " \t"}}).error(), HasSubstr("by where, start or end")) << "blanks are no condition";
    EXPECT_THAT(remove({{"were", "host eq 'a'"}}).error(), HasSubstr("'were'"));
    EXPECT_THAT(remove({{"where", "host eq"}}).error(), HasSubstr("where"));
    EXPECT_EQ(numbers().size(), 10u);
}

TEST_F(deletion_test, a_family_that_is_not_there_is_named) {
    EXPECT_THAT(remove({{"end", "now"}}).error(), HasSubstr("cpu"));
}

TEST_F(deletion_test, a_budget_ends_it_and_asking_again_goes_on) {
    put_ten();
    EXPECT_FALSE(remove({{"end", "now"}}, {.time_max = std::chrono::milliseconds(0)}));
    EXPECT_TRUE(remove({{"end", "now"}}));
    EXPECT_THAT(numbers(), ElementsAre(9));
}

} // namespace
