#include "compaction/retention.hh"

#include <gtest/gtest.h>

#include "tests/lib/running_engine.hh"
#include "tests/lib/temporary_directory.hh"

namespace {

using namespace testing_lib;

TEST(retention, there_may_be_so_many_policies_and_no_more) {
    const temporary_directory directory;
    running_engine engine(directory.path(), {});
    ASSERT_TRUE(engine.opened());
    compaction::retention keeper(engine.all(),
                                 {.account = "account", .now = [&] { return engine.clock().now(); }, .policies_max = 2});
    EXPECT_TRUE(keeper.set({.name = "a", .keep_ticks = base::ticks_per_second}).get());
    EXPECT_TRUE(keeper.set({.name = "b", .keep_ticks = base::ticks_per_second}).get());
    const auto refused = keeper.set({.name = "c", .keep_ticks = base::ticks_per_second}).get();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::errc::invalid_argument);
    EXPECT_TRUE(keeper.set({.name = "b", .keep_ticks = 2 * base::ticks_per_second}).get()) << "one that is there may be changed";
    EXPECT_TRUE(keeper.set({.name = "a"}).get()) << "and taken away";
    EXPECT_TRUE(keeper.set({.name = "c", .keep_ticks = base::ticks_per_second}).get());
}

} // namespace
