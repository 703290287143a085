#include "shard/core/edit_frame.hh"

#include <gtest/gtest.h>

namespace {

constexpr uint64_t seed = 42;

std::string encoded(const shard::edit_frame& frame) {
    std::string out;
    shard::put_edit_frame(out, seed, frame);
    return out;
}

TEST(edit_frame, frames_of_every_length_come_back) {
    for (size_t length : {0, 1, 7, 8, 9, 100, 4096, 1 << 20}) {
        const std::string edit(length, 'e');
        const auto bytes = encoded({.number = 7, .durable = 5, .edit = edit});
        const auto frame = shard::parse_edit_frame(bytes, seed);
        ASSERT_TRUE(frame) << length;
        EXPECT_EQ(frame->number, 7u);
        EXPECT_EQ(frame->durable, 5u);
        EXPECT_EQ(frame->edit, edit);
        EXPECT_EQ(frame->frame_bytes(), bytes.size());
        EXPECT_EQ(bytes.size() % shard::edit_frame_alignment, 0u);
    }
}

TEST(edit_frame, every_flipped_bit_is_noticed) {
    const auto bytes = encoded({.number = 7, .durable = 5, .edit = "create cpu"});
    for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        auto damaged = bytes;
        damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
        EXPECT_FALSE(shard::parse_edit_frame(damaged, seed)) << bit;
    }
}

TEST(edit_frame, every_cut_is_noticed) {
    const auto bytes = encoded({.number = 7, .durable = 5, .edit = "create cpu"});
    for (size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_FALSE(shard::parse_edit_frame(std::string_view(bytes).substr(0, length), seed)) << length;
    }
}

TEST(edit_frame, a_frame_of_another_generation_or_log_is_none) {
    const shard::edit_header header{.log_id = 1, .generation = 1};
    std::string bytes;
    shard::put_edit_frame(bytes, shard::edit_seed(header), {.number = 1, .durable = 0, .edit = "edit"});
    EXPECT_TRUE(shard::parse_edit_frame(bytes, shard::edit_seed(header)));
    EXPECT_FALSE(shard::parse_edit_frame(bytes, shard::edit_seed({.log_id = 1, .generation = 2})));
    EXPECT_FALSE(shard::parse_edit_frame(bytes, shard::edit_seed({.log_id = 2, .generation = 1})));
}

TEST(edit_frame, zeros_are_no_frame) {
    EXPECT_FALSE(shard::parse_edit_frame(std::string(4096, '\0'), seed));
}

TEST(edit_header, comes_back) {
    const shard::edit_header header{.log_id = 0x0123456789abcdef, .generation = 3, .snapshot_count = 99};
    const auto block = shard::encode_edit_header(header);
    EXPECT_EQ(block.size(), shard::edit_block_bytes);
    EXPECT_EQ(shard::parse_edit_header(block), header);
}

TEST(edit_header, every_flipped_bit_is_noticed) {
    const auto block = shard::encode_edit_header({.log_id = 1, .generation = 3});
    for (size_t bit = 0; bit < block.size() * 8; ++bit) {
        auto damaged = block;
        damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
        const auto parsed = shard::parse_edit_header(damaged);
        ASSERT_FALSE(parsed) << bit;
        EXPECT_EQ(parsed.error().code, base::errc::corrupt);
    }
    EXPECT_FALSE(shard::parse_edit_header(std::string_view(block).substr(1)));
    EXPECT_FALSE(shard::parse_edit_header(""));
}

} // namespace
