#include "tables/core/codec/bit_packing.hh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace {

using namespace tables::codec;

std::vector<uint64_t> random_values(size_t count, unsigned width) {
    std::mt19937_64 random(width * 1'000 + count);
    std::vector<uint64_t> values(count);
    for (auto& v : values) {
        v = width == 0 ? 0 : random() >> (64 - width);
    }
    return values;
}

TEST(bit_packing, every_width_and_length_comes_back) {
    for (unsigned width = 0; width <= width_max; ++width) {
        for (const size_t count : {0, 1, 2, 63, 64, 65, 127, 128, 200, 1024}) {
            const auto values = random_values(count, width);
            std::string packed = "before";
            pack(values, width, packed);
            ASSERT_EQ(packed.size(), 6 + packed_size(count, width));
            std::vector<uint64_t> back(count, 0xdead);
            unpack(std::string_view(packed).substr(6), width, back);
            ASSERT_EQ(back, values) << width << " bits, " << count;
        }
    }
}

TEST(bit_packing, values_lie_from_the_lowest_bit_up) {
    std::string packed;
    pack(std::vector<uint64_t>{1, 2, 3, 4, 5}, 3, packed);
    EXPECT_EQ(packed, "\xd1\x58"); // 101 100 011 010 001, read from the right
}

TEST(bit_packing, the_largest_values_come_back) {
    for (unsigned width = 1; width <= width_max; ++width) {
        const std::vector<uint64_t> values(70, ~uint64_t{0} >> (64 - width));
        std::string packed;
        pack(values, width, packed);
        std::vector<uint64_t> back(values.size());
        unpack(packed, width, back);
        ASSERT_EQ(back, values) << width;
    }
}

} // namespace
