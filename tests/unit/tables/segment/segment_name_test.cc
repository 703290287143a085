#include "tables/core/segment/segment_name.hh"

#include <gtest/gtest.h>

namespace {

using tables::segment_name;

TEST(segment_name, is_who_wrote_it_and_a_number) {
    EXPECT_EQ((segment_name{3, 42}.text()), "003-000000000042.seg");
    const auto parsed = segment_name::parse("012-000000000007.seg");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->shard, 12u);
    EXPECT_EQ(parsed->number, 7u);
    for (const auto* other :
         {"", "-", "003", "003-", "003-42.seg", "003-000000000042", "003-000000000042.segx", "3-000000000042.seg", "x"}) {
        EXPECT_FALSE(segment_name::parse(other)) << other;
    }
}

TEST(segment_name, a_place_is_told_from_its_file) {
    const auto place = tables::place_name("003-000000000042.seg", 4096);
    EXPECT_EQ(place, "003-000000000042.seg@4096");
    EXPECT_EQ(tables::file_of(place), "003-000000000042.seg");
}

} // namespace
