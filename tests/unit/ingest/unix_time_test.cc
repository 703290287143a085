#include "ingest/core/unix_time.hh"

#include <gtest/gtest.h>

namespace {

using ingest::line_fault;
using ingest::parse_time_text;
using ingest::unix_time_ns;

constexpr int64_t moment = 1'730'000'000'000'000'000;

TEST(unix_time, the_number_of_digits_tells_the_unit) {
    EXPECT_EQ(unix_time_ns(int64_t{1'730'000'000}), moment);
    EXPECT_EQ(unix_time_ns(int64_t{1'730'000'000'000}), moment);
    EXPECT_EQ(unix_time_ns(int64_t{1'730'000'000'000'000}), moment);
    EXPECT_EQ(unix_time_ns(moment), moment);
    EXPECT_EQ(unix_time_ns(int64_t{0}), 0);
    EXPECT_EQ(unix_time_ns(int64_t{-1'730'000'000}), -moment);
    EXPECT_EQ(unix_time_ns(INT64_MIN), INT64_MIN);
}

TEST(unix_time, fractions_are_of_the_unit) {
    EXPECT_EQ(unix_time_ns("1730000000.5"), moment + 500'000'000);
    EXPECT_EQ(unix_time_ns("1730000000.1234567899"), moment + 123'456'789);
    EXPECT_EQ(unix_time_ns("1730000000000.25"), moment + 250'000);
    EXPECT_EQ(unix_time_ns("-1.5"), -1'500'000'000);
    EXPECT_EQ(unix_time_ns("-0.5"), -500'000'000);
    EXPECT_EQ(unix_time_ns(1730000000.123456), moment + 123'456'000);
    EXPECT_EQ(unix_time_ns(1.73e9), moment);
    EXPECT_EQ(unix_time_ns(1e-300), 0);
}

TEST(unix_time, what_64_bits_cannot_hold_is_out_of_range) {
    EXPECT_EQ(unix_time_ns(int64_t{99'999'999'999}).error(), line_fault::time_out_of_range);
    EXPECT_EQ(unix_time_ns("99999999999").error(), line_fault::time_out_of_range);
    EXPECT_EQ(unix_time_ns("99999999999999999999").error(), line_fault::time_out_of_range);
    EXPECT_EQ(unix_time_ns(1e300).error(), line_fault::time_out_of_range);
    EXPECT_EQ(unix_time_ns("9223372036854775807.9"), INT64_MAX);
    EXPECT_EQ(parse_time_text("9999-12-31T00:00:00Z").error(), line_fault::time_out_of_range);
}

TEST(unix_time, texts_are_unix_times_or_dates) {
    EXPECT_EQ(parse_time_text("1730000000"), moment);
    EXPECT_EQ(parse_time_text("1730000000.5"), moment + 500'000'000);
    EXPECT_EQ(parse_time_text("2024-10-27T03:33:20Z"), moment);
    EXPECT_EQ(parse_time_text("2024-10-27T05:33:20.123456789+02:00"), moment + 123'456'789);
    EXPECT_EQ(parse_time_text("2024-10-27 03:33:20"), moment);
    // The digits of the zone are no digits of the fraction.
    EXPECT_EQ(parse_time_text("2024-10-27T05:33:20.123456+02:00"), moment + 123'456'000);
    EXPECT_EQ(parse_time_text("2024-10-27T05:33:20.12345678+02:00"), moment + 123'456'780);
    EXPECT_EQ(parse_time_text("2024-10-27"), moment - 12'800'000'000'000);
    for (std::string_view text :
         {"", "now", "-15m", "yesterday", "1.", "1.x", "1e9", "-", ".", "--1", "2024-13-01", "0x10", " 1", "1 "}) {
        EXPECT_EQ(parse_time_text(text).error_or(line_fault::none), line_fault::invalid_time) << text;
    }
}

} // namespace
