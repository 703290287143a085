#include "ingest/core/syslog.hh"

#include <gtest/gtest.h>

#include "base/ticks.hh"
#include "tests/unit/ingest/point_text.hh"

namespace {

using namespace std::literals;

int64_t ns(std::string_view text) {
    return base::unix_ns(*base::parse_time(text));
}

std::string read(std::string_view message, ingest::syslog_receipt receipt = {.time_ns = ns("2026-11-16T12:00:00Z")}) {
    ingest::record_builder record;
    // From memory of exactly the right size, so that a read beyond it is noticed.
    const std::vector<char> exact(message.begin(), message.end());
    return ingest_test::record_text(ingest::syslog_reader(record).read({exact.data(), exact.size()}, receipt));
}

std::string at(std::string_view time) {
    return fmt::format(" @{}", ns(time));
}

TEST(syslog_5424, a_full_message_has_all_its_parts) {
    EXPECT_EQ(
        read(
            R"(<165>1 2003-10-11T22:14:15.003Z mymachine.example.com evntslog 8710 ID47 [exampleSDID@32473 iut="3" eventSource="App"] An event)"),
        R"(level="5" facility="20" host="mymachine.example.com" app="evntslog" process_id="8710" message_id="ID47" )"
        R"({"exampleSDID@32473.iut":"3" "exampleSDID@32473.eventSource":"App" } "An event")" +
            at("2003-10-11T22:14:15.003Z"));
}

TEST(syslog_5424, nil_is_nothing) {
    EXPECT_EQ(read("<34>1 - - - - - -"), R"(level="2" facility="4" {} "")");
    EXPECT_EQ(read("<0>1 - - - - - - text"), R"(level="0" facility="0" {} "text")");
    EXPECT_EQ(read("<191>1 - h a p m [x]"),
              R"(level="7" facility="23" host="h" app="a" process_id="p" message_id="m" {"x":"" } "")");
}

TEST(syslog_5424, times_have_nanoseconds_and_zones) {
    EXPECT_EQ(read("<1>1 2003-08-24T05:14:15.000003-07:00 - - - - -"),
              R"(level="1" facility="0" {} "")" + at("2003-08-24T12:14:15.000003Z"));
    EXPECT_EQ(read("<1>1 1970-01-01T00:00:00.123456789Z - - - - -"), R"(level="1" facility="0" {} "" @123456789)");
}

TEST(syslog_5424, structured_data_resolves_its_three_escapes) {
    EXPECT_EQ(read(R"(<1>1 - - - - - [a b="\"\\\]\n" c=""][d e="]"] x)"),
              R"(level="1" facility="0" {"a.b":"\"\\]\\n" "a.c":"" "d.e":"]" } "x")");
}

TEST(syslog_5424, a_name_that_comes_again_keeps_all_values) {
    EXPECT_EQ(read(R"(<1>1 - - - - - [origin ip="1.1.1.1" ip="2.2.2.2"])"),
              R"(level="1" facility="0" {"origin.ip":"1.1.1.1,2.2.2.2" } "")");
}

TEST(syslog_5424, a_byte_order_mark_is_not_text) {
    EXPECT_EQ(read("<1>1 - - - - - - \xef\xbb\xbfgrün"), R"(level="1" facility="0" {} "grün")");
}

TEST(syslog_5424, data_that_is_none_stays_in_the_message) {
    for (std::string data : {"[", "[]", "[a", "[a b]", "[a b=]", "[a b=\"", "[a b=\"c]", "[a b=\"c\"", "[a b=\"c\"]x", "x",
                             "[a  b=\"c\"]", "[a=\"b\"]", "[a b=\"\xff\"]", "-x"}) {
        EXPECT_TRUE(read("<1>1 - h - - - " + data).starts_with(R"(level="1" facility="0" host="h" {} ")")) << data;
    }
    const std::string_view message = "<1>1 - h - - - [a b=] text";
    ingest::record_builder record;
    EXPECT_EQ(ingest::syslog_reader(record).read(message, {}).message, "[a b=] text");
}

TEST(syslog_5424, more_data_than_fits_stays_in_the_message) {
    auto with = [](size_t count, const std::string& name) {
        std::string data = "[a";
        for (size_t i = 0; i < count; ++i) {
            data += " " + (name.empty() ? "n" + std::to_string(i) : name) + "=\"value\"";
        }
        return "<1>1 - h - - - " + data + "] text";
    };
    EXPECT_TRUE(read(with(252, "")).ends_with(R"(} "text")"));
    EXPECT_TRUE(read(with(253, "")).starts_with(R"(level="1" facility="0" host="h" {} "[a n0=)"));
    EXPECT_TRUE(read(with(100, "same")).ends_with(R"(,value" } "text")"));
    EXPECT_TRUE(read(with(10'000, "same")).starts_with(R"(level="1" facility="0" host="h" {} "[a same=)"));
}

TEST(syslog_3164, a_message_has_a_date_a_host_and_an_app) {
    EXPECT_EQ(read("<34>Oct 11 22:14:15 mymachine su: 'su root' failed for lonvick on /dev/pts/8"),
              R"(level="2" facility="4" host="mymachine" app="su" {} "'su root' failed for lonvick on /dev/pts/8")" +
                  at("2026-10-11T22:14:15Z"));
    EXPECT_EQ(read("<30>Nov  1 02:03:04 10.1.2.3 postfix/smtpd[123]:  two spaces"),
              R"(level="6" facility="3" host="10.1.2.3" app="postfix/smtpd" process_id="123" {} " two spaces")" +
                  at("2026-11-01T02:03:04Z"));
    EXPECT_EQ(read("<6>Nov 15 00:00:00 fe80::1 kernel: [ 12.3] up"),
              R"(level="6" facility="0" host="fe80::1" app="kernel" {} "[ 12.3] up")" + at("2026-11-15T00:00:00Z"));
    EXPECT_EQ(read("<13>Nov 15 00:00:00 2001:db8::1 app[9]: no year"),
              R"(level="5" facility="1" host="2001:db8::1" app="app" process_id="9" {} "no year")" + at("2026-11-15T00:00:00Z"));
}

TEST(syslog_3164, a_counter_before_the_date_is_no_app) {
    const auto told = R"(level="5" facility="23" app="%SYS-5-CONFIG_I" {} "by console")" + at("2026-11-15T01:02:03.004Z");
    EXPECT_EQ(read("<189>29: Nov 15 01:02:03.004: %SYS-5-CONFIG_I: by console"), told);
    EXPECT_EQ(read("<189>30: *Nov 15 01:02:03.004 UTC: %SYS-5-CONFIG_I: by console"), told);
    EXPECT_EQ(read("<189>31: 000017: Nov 15 01:02:03.004: %SYS-5-CONFIG_I: by console"), told);
    EXPECT_EQ(read("<13>29: text"), R"(level="5" facility="1" {} "29: text")");
    EXPECT_EQ(read("<13>29: "), R"(level="5" facility="1" {} "29: ")");
    EXPECT_EQ(read("<13>29"), R"(level="5" facility="1" {} "29")");
    EXPECT_EQ(read("<13>4711[7]: text"), R"(level="5" facility="1" app="4711" process_id="7" {} "text")");
}

TEST(syslog_3164, the_host_may_be_missing) {
    EXPECT_EQ(read("<34>Oct 11 22:14:15 su[7]: hi"),
              R"(level="2" facility="4" app="su" process_id="7" {} "hi")" + at("2026-10-11T22:14:15Z"));
    EXPECT_EQ(read("<34>Oct 11 22:14:15 su: hi"), R"(level="2" facility="4" app="su" {} "hi")" + at("2026-10-11T22:14:15Z"));
}

TEST(syslog_3164, the_app_may_be_missing) {
    EXPECT_EQ(read("<34>Oct 11 22:14:15 host just text: with a colon"),
              R"(level="2" facility="4" host="host" {} "just text: with a colon")" + at("2026-10-11T22:14:15Z"));
    EXPECT_EQ(read("<34>Oct 11 22:14:15 host http://x y"),
              R"(level="2" facility="4" host="host" {} "http://x y")" + at("2026-10-11T22:14:15Z"));
    EXPECT_EQ(read("<34>Oct 11 22:14:15 word"), R"(level="2" facility="4" {} "word")" + at("2026-10-11T22:14:15Z"));
}

TEST(syslog_3164, without_a_date_it_is_the_time_of_receipt) {
    EXPECT_EQ(read("<13>su: hi"), R"(level="5" facility="1" app="su" {} "hi")");
    EXPECT_EQ(read("<13>Oct 32 22:14:15 x"), R"(level="5" facility="1" {} "Oct 32 22:14:15 x")");
}

TEST(syslog_3164, a_line_without_a_priority_is_a_user_notice) {
    EXPECT_EQ(read("Error: disk full"), R"(level="5" facility="1" {} "Error: disk full")");
    EXPECT_EQ(read("<192>x"), R"(level="5" facility="1" {} "<192>x")");
    EXPECT_EQ(read("<1234>x"), R"(level="5" facility="1" {} "<1234>x")");
    EXPECT_EQ(read("<>x"), R"(level="5" facility="1" {} "<>x")");
    EXPECT_EQ(read("<1"), R"(level="5" facility="1" {} "<1")");
    EXPECT_EQ(read(""), R"(level="5" facility="1" {} "")");
    EXPECT_EQ(read("Oct 11 22:14:15 host app: x"),
              R"(level="5" facility="1" host="host" app="app" {} "x")" + at("2026-10-11T22:14:15Z"));
}

TEST(syslog, a_counted_line_end_is_not_of_the_message) {
    ingest::record_builder record;
    EXPECT_EQ(ingest::syslog_reader(record).read("<13>1 - host app - - - said\n", {}).message, "said");
    EXPECT_EQ(ingest::syslog_reader(record).read("<13>Oct 11 22:14:15 host app: said\n\n", {}).message, "said\n");
    EXPECT_EQ(ingest::syslog_reader(record).read("\n", {}).message, "");
}

TEST(syslog_3164, a_message_keeps_its_bytes) {
    constexpr auto message = "<13>Oct 11 22:14:15 host app: a\0b\xff\r\n\t "sv;
    ingest::record_builder record;
    EXPECT_EQ(ingest::syslog_reader(record).read(message, {}).message, "a\0b\xff\r\n\t "sv);
}

} // namespace
