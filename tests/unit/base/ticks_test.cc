#include "base/ticks.hh"

#include <gtest/gtest.h>

namespace {

TEST(ticks, inverted_text_is_19_digits_and_reversible) {
    for (int64_t value : {int64_t{0}, int64_t{1}, base::unix_epoch.value, base::tick_max.value}) {
        auto text = base::inverted_text(base::tick{value});
        EXPECT_EQ(text.size(), base::inverted_digits);
        EXPECT_EQ(base::parse_inverted(text), base::tick{value});
    }
    EXPECT_EQ(base::inverted_text(base::tick_max), "0000000000000000000");
    EXPECT_EQ(base::inverted_text(base::tick{0}), "3155378975999999999");
}

TEST(ticks, newer_sorts_first) {
    EXPECT_LT(base::inverted_text(base::tick{200}), base::inverted_text(base::tick{100}));
}

TEST(ticks, what_is_not_an_inverted_tick_is_refused) {
    for (auto text : {"", "123", "31553789759999999990", "3155378976000000000", "9999999999999999999", "315537897599999999x"}) {
        if (std::string_view(text).size() == 20) {
            EXPECT_TRUE(base::parse_inverted(text)) << "a suffix is allowed";
        } else {
            EXPECT_FALSE(base::parse_inverted(text)) << text;
        }
    }
}

TEST(ticks, text_cuts_trailing_zeros) {
    EXPECT_EQ(base::to_text(base::unix_epoch), "1970-01-01T00:00:00Z");
    EXPECT_EQ(base::to_text(base::tick{base::unix_epoch.value + 1}), "1970-01-01T00:00:00.0000001Z");
    EXPECT_EQ(base::to_text(base::tick{base::unix_epoch.value + 4767 * 1000}), "1970-01-01T00:00:00.4767Z");
    EXPECT_EQ(base::to_text(base::tick_max), "9999-12-31T23:59:59.9999999Z");
    EXPECT_EQ(base::to_text(base::tick{0}), "0001-01-01T00:00:00Z");
    EXPECT_EQ(base::to_text(base::datetime_min), "1601-01-01T00:00:00Z");
}

TEST(ticks, times_are_parsed_in_every_shape_clients_send) {
    const base::tick noon = *base::parse_time("2026-11-16T12:00:00Z");
    EXPECT_EQ(base::to_text(noon), "2026-11-16T12:00:00Z");
    for (auto text : {"2026-11-16T12:00:00", "2026-11-16T14:00:00+02:00", "2026-11-16T12:00:00.0000000Z", "2026-11-16T12:00Z",
                      "2026-11-16 12:00:00Z", "2026-11-16T12:00:00.00000009Z"}) {
        EXPECT_EQ(base::parse_time(text), noon) << text;
    }
    EXPECT_EQ(base::to_text(*base::parse_time("2026-11-16")), "2026-11-16T00:00:00Z");
}

TEST(ticks, what_is_not_a_time_is_refused) {
    for (auto text : {"", "2026", "2026-13-01", "2026-02-30", "2026-11-16T25:00:00Z", "2026-11-16T12:00:00.Z",
                      "2026-11-16T12:00:00Zx", "0000-01-01", "2026-11-16T12:00:00+99:00", "0001-01-01T00:00:00+01:00"}) {
        EXPECT_FALSE(base::parse_time(text)) << text;
    }
}

TEST(ticks, nanoseconds_round_down_and_saturate) {
    EXPECT_EQ(base::tick_from_unix_ns(-1).value, base::unix_epoch.value - 1);
    EXPECT_EQ(base::tick_from_unix_ns(199).value, base::unix_epoch.value + 1);
    EXPECT_EQ(base::unix_ns(base::tick_max), INT64_MAX);
}

} // namespace
