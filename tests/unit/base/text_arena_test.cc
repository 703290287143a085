#include "base/text_arena.hh"

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

namespace {

TEST(text_arena, texts_stay_where_they_are_until_reset) {
    base::text_arena texts;
    std::vector<std::pair<char*, size_t>> rooms;
    for (size_t size :
         {size_t{1}, size_t{100}, base::text_arena::piece_bytes, size_t{0}, 3 * base::text_arena::piece_bytes, size_t{5}}) {
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
    base::text_arena texts;
    char* first = texts.allocate(10);
    texts.give_back(4);
    EXPECT_EQ(texts.allocate(1), first + 6);
}

} // namespace
