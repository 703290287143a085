#include "server/core/log_line.hh"

#include <gtest/gtest.h>

namespace {

using server::parse_log_line;

TEST(log_line, has_a_level_and_a_text) {
    const auto line = parse_log_line("WARN  2026-11-18 01:02:03,004 [shard  1:main] wal - a [shard ] of it\n");
    ASSERT_TRUE(line);
    EXPECT_EQ(line->level, 4);
    EXPECT_EQ(line->text, "wal - a [shard ] of it");
    EXPECT_EQ(parse_log_line("ERROR 2026-11-18 01:02:03,004 [shard 0:main] server - x")->level, 3);
}

TEST(log_line, may_be_coloured) {
    const auto line = parse_log_line("\x1b[32mINFO \x1b[0m 2026-11-18 01:02:03,004 [shard 0:main] server - ready");
    ASSERT_TRUE(line);
    EXPECT_EQ(line->level, 6);
    EXPECT_EQ(line->text, "server - ready");
}

TEST(log_line, what_is_finer_or_no_line_is_left_out) {
    EXPECT_FALSE(parse_log_line("DEBUG 2026-11-18 01:02:03,004 [shard 0:main] server - INFO"));
    EXPECT_FALSE(parse_log_line("INFO without a shard"));
    EXPECT_FALSE(parse_log_line("INFO  [shard 0:main]"));
    EXPECT_FALSE(parse_log_line(""));
}

} // namespace
