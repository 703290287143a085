#include "base/coding.hh"

#include <gtest/gtest.h>

namespace {

TEST(coding, varints_come_back) {
    for (uint64_t value : {0UL, 1UL, 127UL, 128UL, 300UL, 1UL << 32, ~0UL}) {
        std::string out;
        base::put_varint(out, value);
        base::byte_reader in(out);
        EXPECT_EQ(in.varint(), value);
        EXPECT_TRUE(in.done());
    }
}

TEST(coding, a_varint_of_more_than_64_bits_fails) {
    base::byte_reader in("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
    in.varint();
    EXPECT_FALSE(in.ok());
}

TEST(coding, a_length_beyond_the_end_fails_and_stays_failed) {
    std::string out;
    base::put_varint(out, 1000);
    out += "abc";
    base::byte_reader in(out);
    EXPECT_EQ(in.bytes(), "");
    EXPECT_FALSE(in.ok());
    EXPECT_EQ(in.fixed<uint8_t>(), 0);
    EXPECT_FALSE(in.done());
}

TEST(coding, fixed_integers_are_little_endian) {
    std::string out;
    base::put_fixed<uint32_t>(out, 0x01020304);
    EXPECT_EQ(out, "\x04\x03\x02\x01");
    EXPECT_EQ(base::byte_reader(out).fixed<uint32_t>(), 0x01020304u);
}

TEST(coding, zigzag_keeps_small_magnitudes_small) {
    for (int64_t value : {int64_t{0}, int64_t{-1}, int64_t{1}, INT64_MIN, INT64_MAX}) {
        EXPECT_EQ(base::unzigzag(base::zigzag(value)), value);
    }
    EXPECT_EQ(base::zigzag(-1), 1u);
}

} // namespace
