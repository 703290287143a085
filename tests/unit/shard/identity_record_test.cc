#include "shard/core/identity_record.hh"

#include <gtest/gtest.h>

#include "base/checksum.hh"
#include "base/coding.hh"

namespace {

using base::errc;

const shard::identity who{.store = 0x0123456789abcdef, .created = base::unix_epoch};

TEST(identity_record, comes_back) {
    EXPECT_EQ(shard::decode_identity(shard::encode(who)), who);
}

TEST(identity_record, every_flipped_bit_and_every_cut_is_noticed) {
    const auto bytes = shard::encode(who);
    for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
        auto damaged = bytes;
        damaged[bit / 8] ^= static_cast<char>(1 << bit % 8);
        EXPECT_EQ(shard::decode_identity(damaged).error().code, errc::corrupt) << bit;
    }
    for (size_t length = 0; length < bytes.size(); ++length) {
        EXPECT_EQ(shard::decode_identity(std::string_view(bytes).substr(0, length)).error().code, errc::corrupt) << length;
    }
    EXPECT_EQ(shard::decode_identity(bytes + '\0').error().code, errc::corrupt);
}

TEST(identity_record, a_later_version_is_told_apart_from_damage) {
    std::string bytes("downtick");
    base::put_fixed<uint32_t>(bytes, shard::store_format_version + 1);
    bytes += "fields nobody knows yet";
    base::put_fixed(bytes, base::checksum64(bytes));
    const auto decoded = shard::decode_identity(bytes);
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error().code, errc::newer_format);
    EXPECT_NE(decoded.error().detail.find("format 3"), std::string::npos);
}

} // namespace
