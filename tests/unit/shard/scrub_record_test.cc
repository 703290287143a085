#include "shard/core/scrub_record.hh"

#include <gtest/gtest.h>

namespace {

using namespace shard;

const scrub_record some{
    .begun = {5}, .ended = {77}, .files_count = 3, .bytes = 1u << 20, .damaged_count = 2, .damage = {"one", "another"}};

TEST(scrub_record, comes_back_as_it_was) {
    EXPECT_EQ(decode_scrub_record(encode(some)), some);
    EXPECT_EQ(decode_scrub_record(encode(scrub_record())), scrub_record());
}

TEST(scrub_record, one_that_is_cut_off_or_changed_is_refused) {
    const auto whole = encode(some);
    for (size_t length = 0; length < whole.size(); ++length) {
        EXPECT_FALSE(decode_scrub_record(std::string_view(whole).substr(0, length))) << length;
    }
    for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
        auto changed = whole;
        changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
        EXPECT_FALSE(decode_scrub_record(changed)) << bit;
    }
}

TEST(scrub_record, too_much_damage_is_counted_and_not_listed) {
    auto much = some;
    much.damage.assign(100, std::string(10'000, 'x'));
    much.damaged_count = 100;
    const auto bytes = encode(much);
    EXPECT_LE(bytes.size(), scrub_record_bytes_max);
    const auto again = decode_scrub_record(bytes);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->damaged_count, 100u);
    EXPECT_EQ(again->damage.size(), 26u);
}

} // namespace
