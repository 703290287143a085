#include "ingest/core/point_builder.hh"

#include <gtest/gtest.h>

namespace {

using ingest::line_fault;
using tables::value;

TEST(point_builder, names_that_differ_only_inside_are_told_apart) {
    ingest::point_builder point;
    std::vector<std::string> names;
    for (char c = '!'; c < '~'; ++c) {
        names.push_back("the_same_beginning_" + std::string(1, c) + "_the_same_end");
    }
    for (const auto& name : names) {
        ASSERT_EQ(point.add_field(name, value::of_int64(0)), line_fault::none) << name;
    }
    EXPECT_EQ(point.finish().fields.size(), names.size());
    ASSERT_EQ(point.add_field(names[5], value::of_int64(7)), line_fault::none);
    EXPECT_EQ(point.finish().fields.size(), names.size());
    EXPECT_EQ(point.finish().fields[5].value.as_int64(), 7);
}

TEST(point_builder, clear_forgets_everything) {
    ingest::point_builder point;
    for (int round = 0; round < 3; ++round) {
        point.clear();
        EXPECT_EQ(point.set_family("cpu"), line_fault::none);
        EXPECT_EQ(point.add_tag("host", "a"), line_fault::none);
        EXPECT_EQ(point.add_tag("host", "b"), line_fault::duplicate_tag);
        EXPECT_EQ(point.add_field("host", value::of_boolean(true)), line_fault::none) << "tags and fields are apart";
        EXPECT_EQ(point.finish().tags.size(), 1u);
        point.set_time(5);
    }
    point.clear();
    EXPECT_EQ(point.finish().tags.size(), 0u);
    EXPECT_EQ(point.finish().time_ns, std::nullopt);
}

} // namespace
