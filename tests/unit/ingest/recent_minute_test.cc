#include "ingest/core/recent_minute.hh"

#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ingest/core/unix_time.hh"

namespace ingest {
namespace {

TEST(recent_minute, reads_every_date_as_one_alone_is_read) {
    static constexpr const char* zones[] = {"Z", "+02:00", "-0330", "", "z", "+02", "x"};
    static constexpr const char* fractions[] = {"", ".5", ".123456", ".123456789", ".1234567891", ".", ".12a"};
    static constexpr const char* minutes[] = {"2026-11-18T10:00", "2026-11-18T10:01", "2026-02-29T10:00", "0001-01-01T00:00",
                                              "9999-12-31T23:59", "2262-04-11T23:47", "1969-12-31t23:59", "2026-11-18T24:00"};
    constexpr uint64_t seed = 7;
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    recent_minute recent;
    size_t read_count = 0;
    for (int round = 0; round < 20'000; ++round) {
        const auto date =
            fmt::format("{}:{:02}{}{}", minutes[random() % (round % 2 == 0 ? 2 : std::size(minutes))], random() % 62,
                        fractions[random() % std::size(fractions)], zones[random() % std::size(zones)]);
        const auto alone = parse_date_ns(date);
        const auto read = recent.parse(date);
        ASSERT_EQ(read.has_value(), alone.has_value()) << date;
        if (read) {
            ASSERT_EQ(*read, *alone) << date;
            ++read_count;
        }
    }
    EXPECT_GT(read_count, 5'000u);
}

TEST(recent_minute, refuses_what_is_no_date) {
    recent_minute recent;
    EXPECT_TRUE(recent.parse("2026-11-18T10:00:01Z"));
    for (const char* text : {"", "2026-11-18T10:00", "2026-11-18T10:00:", "2026-11-18T10:00:0Z", "2026-11-18T10:00:60Z",
                             "2026-11-18T10:00:01ZZ", "2026-11-18T10:00:01.Z", "-"}) {
        EXPECT_EQ(recent.parse(text).has_value(), parse_date_ns(text).has_value()) << text;
    }
}

} // namespace
} // namespace ingest
