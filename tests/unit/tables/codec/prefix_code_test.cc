#include "tables/core/codec/prefix_code.hh"

#include <gtest/gtest.h>

#include "tests/unit/tables/codec/sample_data.hh"

namespace {

using namespace tables::codec;
using symbols = std::vector<uint8_t>;

prefix_code::counts counts_of(const symbols& all) {
    prefix_code::counts counts{};
    for (size_t i = 0; i < all.size(); ++i) {
        ++counts[i % prefix_code::lanes_count][all[i]];
    }
    return counts;
}

struct coded {
    std::string code;
    std::string lanes;
};

coded encode(const symbols& all) {
    const auto counts = counts_of(all);
    const auto code = prefix_code::for_counts(counts);
    coded out;
    code.put(out.code);
    code.put_lanes(all, code.sizes(counts), out.lanes);
    EXPECT_EQ(out.code.size(), code.size());
    EXPECT_EQ(out.lanes.size(), prefix_code::lanes_size(code.sizes(counts)));
    return out;
}

bool decode(const coded& bytes, symbols& out) {
    base::byte_reader head(bytes.code);
    const auto code = prefix_code::take(head);
    if (!head.done()) {
        return false;
    }
    base::byte_reader lanes(bytes.lanes);
    code.take_lanes(lanes, out);
    return lanes.done();
}

// Each symbol `share` times as likely as the one before.
symbols skewed(uint64_t seed, size_t count, size_t different, double share) {
    samples::generator random(seed);
    std::vector<double> weights(different, 1);
    for (size_t i = 1; i < different; ++i) {
        weights[i] = weights[i - 1] * share;
    }
    std::discrete_distribution<int> pick(weights.begin(), weights.end());
    symbols all(count);
    for (auto& s : all) {
        s = static_cast<uint8_t>(pick(random));
    }
    all[0] = 0;
    all[1] = static_cast<uint8_t>(different - 1);
    return all;
}

TEST(prefix_code, symbols_of_any_number_and_likelihood_come_back) {
    for (size_t different = 2; different <= prefix_code::symbols_max; ++different) {
        for (const double share : {1.0, 0.9, 0.5, 0.1}) {
            for (const size_t count : {2u, 3u, 27u, 28u, 29u, 500u, 1'024u}) {
                const auto all = skewed(different, count, different, share);
                symbols back(all.size());
                ASSERT_TRUE(decode(encode(all), back)) << different << " " << share << " " << count;
                ASSERT_EQ(back, all);
            }
        }
    }
}

// Powers of two have codes that waste nothing, as long as none is longer than can be.
TEST(prefix_code, the_more_frequent_a_symbol_the_shorter_its_code) {
    symbols all;
    for (unsigned s = 0; s < 8; ++s) {
        all.insert(all.end(), size_t{1} << (7 - s), static_cast<uint8_t>(s));
    }
    size_t bits = 7; // of the last one, which is as rare as the one before
    for (unsigned s = 0; s < 7; ++s) {
        bits += (size_t{1} << (7 - s)) * (s + 1);
    }
    const auto lanes = encode(all).lanes;
    EXPECT_LE(lanes.size(), bits / 8 + 4 + 4);
}

TEST(prefix_code, the_rarest_symbol_still_has_a_code_that_fits) {
    symbols all(1'000, 0);
    for (uint8_t s = 1; s < prefix_code::symbols_max; ++s) {
        all[s] = s;
    }
    symbols back(all.size());
    ASSERT_TRUE(decode(encode(all), back));
    EXPECT_EQ(back, all);
}

TEST(prefix_code, lengths_that_are_no_complete_code_are_refused) {
    for (const auto& bytes :
         {std::string("\x00", 1), std::string("\x01\x01", 2), std::string("\x02\x21", 2), std::string("\x03\x11\x01", 3),
          std::string("\x02\x99", 2), std::string("\x21", 1) + std::string(17, '\x55'), std::string("\x02", 1)}) {
        base::byte_reader in(bytes);
        std::ignore = prefix_code::take(in);
        EXPECT_FALSE(in.ok());
    }
    base::byte_reader good(std::string_view("\x02\x11", 2));
    std::ignore = prefix_code::take(good);
    EXPECT_TRUE(good.done());
}

TEST(prefix_code, lanes_that_end_too_early_or_too_late_are_refused) {
    const auto all = skewed(1, 400, 9, 0.6);
    const auto good = encode(all);
    for (size_t lane = 0; lane < prefix_code::lanes_count; ++lane) {
        for (const int by : {-1, 1}) {
            auto bad = good;
            bad.lanes[lane] = static_cast<char>(bad.lanes[lane] + by);
            bad.lanes.resize(static_cast<size_t>(static_cast<int>(bad.lanes.size()) + by));
            symbols out(all.size());
            EXPECT_FALSE(decode(bad, out)) << lane << " " << by;
        }
    }
}

} // namespace
