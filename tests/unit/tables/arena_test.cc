#include "tables/core/arena.hh"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace {

using tables::arena;

TEST(arena, pieces_are_aligned_and_do_not_overlap) {
    constexpr uint64_t seed = 4;
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    arena memory;
    std::vector<std::pair<unsigned char*, size_t>> pieces;
    for (int i = 0; i < 3'000; ++i) {
        const size_t bytes = random() % 50 == 0 ? random() % 300'000 : random() % 300;
        auto* const piece = static_cast<unsigned char*>(memory.allocate(bytes));
        ASSERT_EQ(reinterpret_cast<uintptr_t>(piece) % 8, 0u);
        std::memset(piece, static_cast<unsigned char>(i), bytes);
        pieces.emplace_back(piece, bytes);
    }
    size_t total = 0;
    for (size_t i = 0; i < pieces.size(); ++i) {
        const auto [piece, bytes] = pieces[i];
        total += bytes;
        ASSERT_TRUE(bytes == 0 ||
                    (piece[0] == static_cast<unsigned char>(i) && piece[bytes - 1] == static_cast<unsigned char>(i)));
    }
    EXPECT_GE(memory.bytes(), total);
}

TEST(arena, begins_small_and_takes_larger_chunks_only_for_larger_pieces) {
    arena memory;
    EXPECT_EQ(memory.bytes(), 0u);
    memory.allocate(100);
    EXPECT_EQ(memory.bytes(), arena::chunk_bytes_min);
    size_t before = memory.bytes();
    for (int i = 0; i < 100'000; ++i) {
        memory.allocate(100);
        ASSERT_LE(memory.bytes() - before, arena::chunk_bytes_max);
        before = memory.bytes();
    }
    memory.allocate(1'000'000);
    EXPECT_GE(memory.bytes() - before, 1'000'000u);
    EXPECT_LT(memory.bytes() - before, 1'000'100u);
}

TEST(arena, a_large_piece_does_not_waste_the_current_chunk) {
    arena memory;
    for (int i = 0; i < 10'000; ++i) {
        memory.allocate(100);
    }
    const auto before = memory.bytes();
    memory.allocate(60'000);
    memory.allocate(8);
    EXPECT_LT(memory.bytes() - before, 60'100u);
}

TEST(arena, everything_is_given_back_in_steps) {
    arena memory;
    for (int i = 0; i < 500; ++i) {
        memory.allocate(100'000);
    }
    int steps = 1;
    while (memory.clear_step()) {
        ++steps;
    }
    EXPECT_GT(steps, 2);
    EXPECT_EQ(memory.bytes(), 0u);
    EXPECT_FALSE(memory.clear_step());
}

} // namespace
