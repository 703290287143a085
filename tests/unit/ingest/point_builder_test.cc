#include "ingest/core/point_builder.hh"

#include <algorithm>
#include <cstring>

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

TEST(text_arena, texts_stay_where_they_are_until_reset) {
    ingest::text_arena texts;
    std::vector<std::pair<char*, size_t>> rooms;
    for (size_t size :
         {size_t{1}, size_t{100}, ingest::text_arena::piece_bytes, size_t{0}, 3 * ingest::text_arena::piece_bytes, size_t{5}}) {
        rooms.emplace_back(texts.allocate(size), size);
        std::memset(rooms.back().first, static_cast<char>('a' + rooms.size()), size);
    }
    for (size_t i = 0; i < rooms.size(); ++i) {
        const auto [room, size] = rooms[i];
        EXPECT_TRUE(std::all_of(room, room + size, [&](char c) { return c == static_cast<char>('a' + i + 1); })) << i;
    }
    texts.reset();
    EXPECT_EQ(texts.allocate(1), rooms.front().first) << "the first piece is kept";
}

TEST(text_arena, what_was_not_needed_is_used_again) {
    ingest::text_arena texts;
    char* first = texts.allocate(10);
    texts.give_back(4);
    EXPECT_EQ(texts.allocate(1), first + 6);
}

} // namespace
