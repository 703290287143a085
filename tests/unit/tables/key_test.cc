#include "tables/core/key.hh"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/tables/random_text.hh"

namespace {

using namespace tables;

std::optional<base::errc> refusal(std::string_view key) {
    auto checked = check_key(key);
    return checked ? std::nullopt : std::optional(checked.error().code);
}

TEST(key, collated_bytes_sort_as_utf16_units) {
    constexpr uint64_t seed = 7;
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 100'000; ++i) {
        auto left = tables_test::random_characters(random, 6);
        auto right = tables_test::random_characters(random, 6);
        // A common beginning, so that the difference is often at the second character or later.
        const auto common = tables_test::random_characters(random, 3);
        left.insert(left.begin(), common.begin(), common.end());
        right.insert(right.begin(), common.begin(), common.end());
        const auto by_units = tables_test::utf16_of(left) <=> tables_test::utf16_of(right);
        const auto by_bytes = collate(tables_test::utf8_of(left)) <=> collate(tables_test::utf8_of(right));
        ASSERT_EQ(by_units, by_bytes) << tables_test::utf8_of(left) << " against " << tables_test::utf8_of(right);
    }
}

TEST(key, collating_is_undone_exactly_and_keeps_the_length) {
    constexpr uint64_t seed = 8;
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    for (int i = 0; i < 20'000; ++i) {
        const auto text = tables_test::utf8_of(tables_test::random_characters(random, 30));
        const auto collated = collate(text);
        ASSERT_EQ(collated.size(), text.size());
        ASSERT_EQ(uncollate(collated), text);
        std::string scratch;
        std::string back;
        ASSERT_EQ(uncollate(collate(text, scratch), back), text);
    }
}

TEST(key, a_key_whose_two_forms_are_equal_is_not_copied) {
    for (std::string_view text : {"", "host=a,region=eu", "2516\xc3\xa9 caf\xc3\xa9", "\xed\x9f\xbf"}) {
        std::string scratch;
        EXPECT_EQ(collate(text, scratch).data(), text.data());
        EXPECT_EQ(uncollate(text, scratch).data(), text.data());
    }
}

TEST(key, supplementary_characters_sort_before_the_end_of_the_basic_plane) {
    const auto emoji = collate("\xf0\x9f\x98\x80");   // U+1F600: D83D DE00
    const auto private_use = collate("\xee\x80\x80"); // U+E000
    const auto before_both = collate("\xed\x9f\xbf"); // U+D7FF
    EXPECT_LT(before_both, emoji);
    EXPECT_LT(emoji, private_use);
}

TEST(key, every_forbidden_character_is_refused_and_its_neighbours_are_not) {
    for (char32_t c = 0; c < 0x100; ++c) {
        std::string key = "a";
        tables_test::put_utf8(key, c);
        const bool is_forbidden = c < 0x20 || (c >= 0x7f && c <= 0x9f) || std::u32string_view(U"/\\#?").contains(c);
        EXPECT_EQ(refusal(key), is_forbidden ? std::optional(base::errc::key_invalid) : std::nullopt) << static_cast<uint32_t>(c);
    }
    EXPECT_EQ(refusal(""), std::nullopt);
    EXPECT_EQ(refusal("a\xffz"), base::errc::key_invalid);
}

TEST(key, length_counts_utf16_units) {
    EXPECT_EQ(refusal(std::string(512, 'k')), std::nullopt);
    EXPECT_EQ(refusal(std::string(513, 'k')), base::errc::key_too_long);
    std::string emoji;
    for (int i = 0; i < 256; ++i) {
        emoji += "\xf0\x9f\x98\x80";
    }
    EXPECT_EQ(refusal(emoji), std::nullopt);
    EXPECT_EQ(refusal(emoji + "x"), base::errc::key_too_long);
    std::string longest;
    for (int i = 0; i < 512; ++i) {
        longest += "\xe2\x82\xac";
    }
    EXPECT_EQ(refusal(longest), std::nullopt);
    EXPECT_EQ(longest.size(), key_bytes_max);
}

TEST(key, a_log_tail_row_key_splits_into_tick_and_suffix) {
    const auto time = base::parse_time("2026-11-16T09:30:00.1234567Z").value();
    const auto key = base::inverted_text(time) + "42";
    EXPECT_EQ(split_row_key(key).tick, time);
    EXPECT_EQ(split_row_key(key).suffix, "42");
    EXPECT_EQ(split_row_key(base::inverted_text(time)).suffix, "");
}

TEST(key, any_other_row_key_is_all_suffix) {
    for (std::string_view key : {"", "wien", "251634", "9999999999999999999", "25163400000000000a0"}) {
        EXPECT_EQ(split_row_key(key).tick, std::nullopt) << key;
        EXPECT_EQ(split_row_key(key).suffix, key);
    }
}

} // namespace
