#include "service/core/time_text.hh"

#include <gtest/gtest.h>

#include <random>

namespace {

std::string text(base::tick t, service::fraction digits = service::fraction::cut, std::string_view colon = ":") {
    return service::text_of([&](auto& sink) { service::put_time(sink, t, digits, colon); });
}

TEST(time_text, agrees_with_the_base_library_over_all_of_time) {
    const auto seed = std::random_device{}();
    std::mt19937_64 random(seed);
    for (int i = 0; i < 20'000; ++i) {
        base::tick t{static_cast<int64_t>(random() % (base::tick_max.value + 1))};
        if (i % 3 == 0) {
            t.value -= t.value % base::ticks_per_second;
        } else if (i % 3 == 1) {
            t.value -= t.value % base::ticks_per_ms;
        }
        ASSERT_EQ(text(t), base::to_text(t)) << "seed " << seed;
    }
    EXPECT_EQ(text(base::tick{0}), "0001-01-01T00:00:00Z");
    EXPECT_EQ(text(base::tick_max), "9999-12-31T23:59:59.9999999Z");
}

TEST(time_text, seven_digits_on_request) {
    EXPECT_EQ(text(base::unix_epoch, service::fraction::seven), "1970-01-01T00:00:00.0000000Z");
    EXPECT_EQ(text(base::tick{base::unix_epoch.value + 12'000}, service::fraction::seven), "1970-01-01T00:00:00.0012000Z");
}

TEST(time_text, the_colon_can_be_an_escape) {
    EXPECT_EQ(text(*base::parse_time("2020-11-07T01:23:13.5774705Z"), service::fraction::cut, "%3A"),
              "2020-11-07T01%3A23%3A13.5774705Z");
}

TEST(time_text, messages_have_the_american_order) {
    std::string out;
    {
        service::text_sink sink(out);
        service::put_us_time(sink, *base::parse_time("1600-12-31T23:59:58.5Z"));
    }
    EXPECT_EQ(out, "12/31/1600 23:59:58");
}

} // namespace
