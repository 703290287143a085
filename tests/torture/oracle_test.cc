// The oracles themselves: they must notice what a server may not do, and nothing else.

#include <gtest/gtest.h>

#include "tests/torture/stream_oracle.hh"
#include "tests/torture/table_oracle.hh"

namespace {

using namespace torture;

const table_change create{table_change::kind::create};

table_change put(const std::string& row, const std::string& value, verb what = verb::insert) {
    return {table_change::kind::write, {{what, "p", row, {{"x", value}}}}};
}

class table_oracle_test : public ::testing::Test {
protected:
    void answer(const table_change& change, int status) {
        oracle.sent(change);
        oracle.answered(status);
    }
    void lose(const table_change& change) {
        oracle.sent(change);
        oracle.unknown();
    }
    size_t violations_after_seeing(const table_state& seen) {
        oracle.check_settled(seen, "test");
        return found.violations_count();
    }

    verdict found;
    table_oracle oracle{"T", found};
};

TEST_F(table_oracle_test, an_acknowledged_row_must_be_there) {
    answer(create, 204);
    answer(put("r", "1"), 204);
    EXPECT_EQ(violations_after_seeing({true, {{"p|r", {{"x", "1"}}}}}), 0u);
    EXPECT_EQ(violations_after_seeing({true, {}}), 1u);
}

TEST_F(table_oracle_test, what_had_no_outcome_may_be_there_or_not_but_then_stays_so) {
    answer(create, 204);
    lose(put("r", "1"));
    EXPECT_EQ(violations_after_seeing({true, {}}), 0u);
    EXPECT_EQ(violations_after_seeing({true, {{"p|r", {{"x", "1"}}}}}), 1u);
}

TEST_F(table_oracle_test, half_a_transaction_is_no_state) {
    answer(create, 204);
    lose({table_change::kind::write, {{verb::insert, "p", "a", {{"x", "1"}}}, {verb::insert, "p", "b", {{"x", "1"}}}}});
    EXPECT_EQ(violations_after_seeing({true, {{"p|a", {{"x", "1"}}}}}), 1u);
}

TEST_F(table_oracle_test, an_answer_tells_which_of_the_possible_states_it_was) {
    answer(create, 204);
    lose(put("r", "1"));
    answer(put("r", "2"), 409);
    EXPECT_EQ(violations_after_seeing({true, {{"p|r", {{"x", "1"}}}}}), 0u);
}

TEST_F(table_oracle_test, an_answer_that_no_state_explains_is_a_violation) {
    answer(create, 204);
    answer(put("r", "1", verb::replace), 204);
    EXPECT_EQ(found.violations_count(), 1u);
}

TEST_F(table_oracle_test, a_row_of_a_dropped_table_does_not_come_back) {
    answer(create, 204);
    answer(put("r", "1"), 204);
    answer({table_change::kind::drop}, 204);
    answer(create, 204);
    EXPECT_EQ(violations_after_seeing({true, {{"p|r", {{"x", "1"}}}}}), 1u);
}

TEST_F(table_oracle_test, a_reader_may_see_what_is_under_way_and_nothing_older_than_its_beginning) {
    answer(create, 204);
    answer(put("r", "1"), 204);
    const auto begun = oracle.begin_read();
    oracle.sent(put("r", "2", verb::insert_or_replace));
    oracle.check_read(begun, {true, {{"p|r", {{"x", "2"}}}}}, "p", "test");
    oracle.check_read(begun, {true, {{"p|r", {{"x", "1"}}}}}, "p", "test");
    EXPECT_EQ(found.violations_count(), 0u);
    oracle.answered(204);
    oracle.check_read(oracle.begin_read(), {true, {{"p|r", {{"x", "1"}}}}}, "p", "test");
    EXPECT_EQ(found.violations_count(), 1u);
}

TEST(stream_oracle, knows_what_is_owed_and_what_may_be_there) {
    verdict found;
    stream_oracle oracle("s", found);
    EXPECT_EQ(oracle.begin_sending(2), 0u);
    oracle.acknowledged(0, 2);
    EXPECT_EQ(oracle.begin_sending(2), 2u);
    const auto owed = oracle.owed(0, 4);
    const auto violations = [&](std::vector<uint64_t> seen) {
        const auto before = found.violations_count();
        oracle.check(0, 4, owed, seen, "test");
        return found.violations_count() - before;
    };
    EXPECT_EQ(violations({0, 1}), 0u);
    EXPECT_EQ(violations({0, 1, 3}), 0u);
    EXPECT_EQ(violations({0, 3}), 1u) << "an acknowledged one is missing";
    EXPECT_EQ(violations({0, 1, 1}), 1u) << "twice";
    EXPECT_EQ(violations({0, 1, 7}), 1u) << "never sent";
}

} // namespace
