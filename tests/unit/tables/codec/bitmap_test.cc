#include "tables/core/codec/bitmap.hh"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/tables/codec/sample_data.hh"

namespace {

using namespace tables::codec;

bitmap random_bits(uint64_t seed) {
    samples::generator random(seed);
    const size_t count = 1 + random() % 5'000;
    const uint64_t run = 1 + random() % (seed % 3 == 0 ? 2 : 300);
    bitmap bits;
    bool bit = random() % 2;
    while (bits.size() < count) {
        bits.append(std::min<size_t>(1 + random() % run, count - bits.size()), bit);
        bit = !bit;
    }
    return bits;
}

std::string coded(const bitmap& bits) {
    std::string out;
    encode_bitmap(bits, out);
    return out;
}

TEST(bitmap, bits_come_back_one_by_one) {
    samples::generator random(1);
    std::vector<bool> model;
    bitmap bits;
    for (int i = 0; i < 1'000; ++i) {
        const size_t count = random() % 20;
        const bool bit = random() % 2;
        model.insert(model.end(), count, bit);
        bits.append(count, bit);
    }
    ASSERT_EQ(bits.size(), model.size());
    for (size_t i = 0; i < model.size(); ++i) {
        ASSERT_EQ(bits[i], model[i]) << i;
    }
    for (int i = 0; i < 200; ++i) {
        const auto begin = static_cast<ptrdiff_t>(random() % model.size());
        const auto end = begin + static_cast<ptrdiff_t>(random() % (model.size() - static_cast<size_t>(begin)));
        EXPECT_EQ(bits.count(static_cast<size_t>(begin), static_cast<size_t>(end)),
                  static_cast<size_t>(std::count(model.begin() + begin, model.begin() + end, true)));
    }
}

TEST(bitmap, a_copied_range_begins_at_the_first_bit) {
    for (uint64_t seed = 0; seed < 100; ++seed) {
        const auto bits = random_bits(seed);
        samples::generator random(seed);
        const size_t begin = random() % bits.size();
        const size_t end = begin + random() % (bits.size() - begin + 1);
        std::vector<uint8_t> out(bitmap::bytes_for(end - begin), 0xaa);
        bits.copy(begin, end, out);
        for (size_t i = 0; i < out.size() * 8; ++i) {
            ASSERT_EQ((out[i / 8] >> (i % 8) & 1) != 0, begin + i < end && bits[begin + i]) << seed << " " << i;
        }
    }
}

TEST(bitmap, every_kind_comes_back) {
    for (uint64_t seed = 0; seed < 500; ++seed) {
        const auto bits = random_bits(seed);
        bitmap back;
        ASSERT_TRUE(decode_bitmap(coded(bits), bits.size(), back)) << seed;
        ASSERT_EQ(back, bits) << seed;
    }
}

TEST(bitmap, what_is_constant_takes_one_byte) {
    EXPECT_EQ(coded(bitmap(10'000, true)).size(), 1u);
    EXPECT_EQ(coded(bitmap(10'000, false)).size(), 1u);
    EXPECT_EQ(coded(bitmap()).size(), 0u);
}

TEST(bitmap, long_runs_take_few_bytes) {
    bitmap bits;
    for (int i = 0; i < 5; ++i) {
        bits.append(3'000, i % 2 == 0);
    }
    EXPECT_LE(coded(bits).size(), 12u);
}

TEST(bitmap, noise_takes_a_byte_more_than_raw) {
    samples::generator random(1);
    bitmap bits;
    for (int i = 0; i < 8'000; ++i) {
        bits.push_back(random() % 2);
    }
    EXPECT_EQ(coded(bits).size(), 1'001u);
}

TEST(bitmap, bytes_of_another_length_are_refused) {
    for (uint64_t seed = 0; seed < 60; ++seed) {
        const auto bits = random_bits(seed);
        const auto good = coded(bits);
        bitmap out;
        for (size_t size = 0; size < good.size(); ++size) {
            EXPECT_FALSE(decode_bitmap(good.substr(0, size), bits.size(), out)) << seed;
        }
        EXPECT_FALSE(decode_bitmap(good + '\0', bits.size(), out)) << seed;
    }
    bitmap out;
    EXPECT_FALSE(decode_bitmap("\x03\xff", 7, out)) << "a bit behind the last one";
    EXPECT_FALSE(decode_bitmap("\x04", 7, out)) << "no such layout";
    EXPECT_FALSE(decode_bitmap("", 7, out));
}

} // namespace
