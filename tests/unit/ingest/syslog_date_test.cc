#include "ingest/core/syslog_date.hh"

#include <gtest/gtest.h>

#include "base/ticks.hh"

namespace {

int64_t ns(std::string_view text) {
    return base::unix_ns(*base::parse_time(text));
}

struct dated {
    std::string time;
    std::string rest;
    bool operator==(const dated&) const = default;
};

dated read(std::string_view text, std::string_view received = "2026-11-16T12:00:00Z", int32_t utc_offset_s = 0) {
    const auto time = ingest::take_syslog_date(text, {ns(received), utc_offset_s});
    return {time ? base::to_text(base::tick_from_unix_ns(*time)) : "none", std::string(text)};
}

TEST(syslog_date, every_shape_of_a_date_is_read) {
    const std::pair<std::string_view, dated> cases[] = {
        {"Oct 11 22:14:15 host", {"2026-10-11T22:14:15Z", "host"}},
        {"Oct  1 22:14:15 host", {"2026-10-01T22:14:15Z", "host"}},
        {"Oct 1 2:14:15 host", {"2026-10-01T02:14:15Z", "host"}},
        {"Oct 11 22:14:15", {"2026-10-11T22:14:15Z", ""}},
        {"Oct 11 22:14:15.25 host", {"2026-10-11T22:14:15.25Z", "host"}},
        {"Oct 11 2019 22:14:15 host", {"2019-10-11T22:14:15Z", "host"}},
        {"Oct 11 22:14:15 2019 host", {"2019-10-11T22:14:15Z", "host"}},
        {"*Mar  1 18:46:11.123 UTC: %SYS-5", {"2027-03-01T18:46:11.123Z", "%SYS-5"}},
        {".Oct 11 22:14:15: %SYS-5", {"2026-10-11T22:14:15Z", "%SYS-5"}},
        {"2026-10-11T22:14:15.003+02:00 host", {"2026-10-11T20:14:15.003Z", "host"}},
        {"2026-10-11 22:14:15 host", {"none", "2026-10-11 22:14:15 host"}},
    };
    for (const auto& [text, expected] : cases) {
        const auto found = read(text);
        EXPECT_EQ(found.time, expected.time) << text;
        EXPECT_EQ(found.rest, expected.rest) << text;
    }
}

TEST(syslog_date, what_is_none_is_left_alone) {
    for (std::string_view text : {"",
                                  "Oct",
                                  "Oct ",
                                  "Oct 11",
                                  "Oct 11 ",
                                  "Oct 11 22:14",
                                  "Oct 11 22:14:1",
                                  "Oct 11 24:00:00",
                                  "Oct 11 22:60:00",
                                  "Oct 0 00:00:00",
                                  "Oct 32 00:00:00",
                                  "Feb 30 00:00:00",
                                  "oct 11 22:14:15",
                                  "ctN 11 22:14:15",
                                  "Oct 11 22:14:15x",
                                  "Oct 111 22:14:15",
                                  "Oct 11 99999 22:14:15",
                                  "Oct 11 9999 22:14:15",
                                  "2026-10-11T25:14:15Z host",
                                  "2026-10-11T22:14:15 UTC"}) {
        if (text == "2026-10-11T22:14:15 UTC") {
            EXPECT_EQ(read(text).rest, "UTC") << "no zone is UTC";
            continue;
        }
        EXPECT_EQ(read(text), (dated{"none", std::string(text)})) << text;
    }
}

TEST(syslog_date, the_year_is_the_one_nearest_to_receipt) {
    EXPECT_EQ(read("Dec 31 23:59:59 x", "2027-01-01T00:00:01Z").time, "2026-12-31T23:59:59Z");
    EXPECT_EQ(read("Jan  1 00:00:01 x", "2026-12-31T23:59:59Z").time, "2027-01-01T00:00:01Z");
    EXPECT_EQ(read("Jun 15 00:00:00 x", "2026-12-01T00:00:00Z").time, "2026-06-15T00:00:00Z");
    EXPECT_EQ(read("Jul 15 00:00:00 x", "2026-12-01T00:00:00Z").time, "2026-07-15T00:00:00Z");
    EXPECT_EQ(read("Feb 29 12:00:00 x", "2028-03-05T00:00:00Z").time, "2028-02-29T12:00:00Z");
}

TEST(syslog_date, a_leap_day_that_is_not_near_is_of_the_time_of_receipt) {
    for (const auto* received :
         {"2027-03-01T00:00:00Z", "2025-03-01T00:00:00Z", "2100-03-02T00:00:00Z", "2026-11-16T12:00:00Z"}) {
        const auto found = read("Feb 29 12:00:00 x", received);
        EXPECT_EQ(found.time, received);
        EXPECT_EQ(found.rest, "x");
    }
    EXPECT_EQ(read("Feb 30 12:00:00 x").time, "none");
    EXPECT_EQ(read("Feb 29 2026 12:00:00 x").time, "none");
}

TEST(syslog_date, the_zone_is_that_of_the_senders) {
    EXPECT_EQ(read("Oct 11 22:14:15 x", "2026-11-16T12:00:00Z", 7200).time, "2026-10-11T20:14:15Z");
    EXPECT_EQ(read("Oct 11 22:14:15 x", "2026-11-16T12:00:00Z", -3600).time, "2026-10-11T23:14:15Z");
    EXPECT_EQ(read("Oct 11 22:14:15 UTC: x", "2026-11-16T12:00:00Z", 7200).time, "2026-10-11T22:14:15Z");
    EXPECT_EQ(read("Jan  1 00:30:00 x", "2026-12-31T23:45:00Z", 3600).time, "2026-12-31T23:30:00Z");
}

TEST(syslog_date, the_ends_of_time_do_no_harm) {
    EXPECT_EQ(read("Oct 11 22:14:15 x", "2262-04-01T00:00:00Z").time, "2261-10-11T22:14:15Z");
    EXPECT_EQ(read("Oct 11 1600 22:14:15 x").time, "none");
}

} // namespace
