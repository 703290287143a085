#include "base/byte_size.hh"

#include <gtest/gtest.h>

namespace {

TEST(byte_size, has_units) {
    EXPECT_EQ(base::parse_bytes("1024").value(), 1024u);
    EXPECT_EQ(base::parse_bytes("1.5G").value(), 3u << 29);
    EXPECT_EQ(base::parse_bytes("2k").value(), 2048u);
    for (auto text : {"", "G", "12X", "12MB", "-1M", "nan"}) {
        EXPECT_FALSE(base::parse_bytes(text)) << text;
    }
}

} // namespace
