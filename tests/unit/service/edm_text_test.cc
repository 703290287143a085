#include "service/core/edm_text.hh"

#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace service;

TEST(edm_text, type_names_go_both_ways) {
    for (unsigned i = 1; i <= 8; ++i) {
        const auto type = static_cast<tables::value_type>(i);
        EXPECT_EQ(edm_type_of(edm_name(type)), type);
    }
    for (auto name : {"", "Edm.", "Edm.int32", "Int32", "Edm.Single", "Edm.String "}) {
        EXPECT_FALSE(edm_type_of(name)) << name;
    }
}

TEST(edm_text, integers_are_read_whole) {
    EXPECT_EQ(parse_integer("9223372036854775807"), INT64_MAX);
    EXPECT_EQ(parse_integer("-9223372036854775808"), INT64_MIN);
    EXPECT_EQ(parse_integer("007"), 7);
    for (auto text : {"", "-", "+1", " 1", "1 ", "1.0", "1e3", "9223372036854775808", "-9223372036854775809", "0x10", "1L"}) {
        EXPECT_FALSE(parse_integer(text)) << text;
    }
}

TEST(edm_text, finite_numbers_are_read_whole_and_never_become_infinite) {
    EXPECT_EQ(parse_finite("1.5"), 1.5);
    EXPECT_EQ(parse_finite("-0"), 0.0);
    EXPECT_TRUE(std::signbit(*parse_finite("-0")));
    EXPECT_EQ(parse_finite("1e308"), 1e308);
    EXPECT_EQ(parse_finite("123456789012345678901234567890"), 123456789012345678901234567890.0);
    for (auto text : {"", "-", "inf", "nan", "-inf", "1e", "e5", "1,5", "0x1p3", "NaN", "Infinity", "1.5 "}) {
        EXPECT_FALSE(parse_finite(text)) << text;
    }
}

// T46
TEST(edm_text, too_large_is_refused_and_too_small_is_zero) {
    const std::string zeros(400, '0');
    for (const std::string& text : std::vector<std::string>{"1e400", "-1e400", "1" + zeros, "0.00001e400", "1" + zeros + "e-50",
                                                            "1e99999999999999999999", "0." + zeros + "1e900"}) {
        EXPECT_FALSE(parse_finite(text)) << text;
    }
    for (const std::string& text : std::vector<std::string>{"1e-400", "0." + zeros + "1", "1" + zeros + "e-900",
                                                            "1e-99999999999999999999", "0." + zeros + "1e50"}) {
        EXPECT_EQ(parse_finite(text), 0.0) << text;
    }
    EXPECT_TRUE(std::signbit(*parse_finite("-1e-400")));
    EXPECT_EQ(parse_finite("4.9406564584124654e-324"), 4.9406564584124654e-324);
    EXPECT_EQ(parse_finite("1.7976931348623157e308"), DBL_MAX);
}

TEST(edm_text, the_three_specials_have_one_spelling) {
    EXPECT_TRUE(std::isnan(*parse_real("NaN")));
    EXPECT_EQ(parse_real("Infinity"), INFINITY);
    EXPECT_EQ(parse_real("-Infinity"), -INFINITY);
    for (auto text : {"nan", "INF", "infinity", "+Infinity", "-NaN"}) {
        EXPECT_FALSE(parse_real(text)) << text;
    }
}

TEST(edm_text, datetimes_need_a_time_with_seconds) {
    EXPECT_EQ(parse_datetime("1955-05-15T00:00:00Z"), base::parse_time("1955-05-15"));
    EXPECT_EQ(parse_datetime("2020-01-02T03:04:05.123456"), base::parse_time("2020-01-02T03:04:05.123456Z"));
    EXPECT_EQ(parse_datetime("2020-01-02T05:04:05+02:00"), base::parse_time("2020-01-02T03:04:05Z"));
    EXPECT_EQ(parse_datetime("9999-12-31T23:59:59.99999999Z"), base::tick_max);
    for (auto text : {"", "1955-05-15", "1955-05-15T00:00Z", "1955-05-15 00:00:00Z", "1955-05-15t00:00:00Z",
                      "10000-01-01T00:00:00Z", "1955-13-15T00:00:00Z", "1955-05-15T24:00:00Z", "yesterday, some time or other"}) {
        EXPECT_FALSE(parse_datetime(text)) << text;
    }
}

// T49
TEST(edm_text, guids_come_in_any_case_and_go_out_lower) {
    const auto guid = parse_guid("C9DA6455-213d-42C9-9a79-3E9149A57833");
    ASSERT_TRUE(guid);
    EXPECT_EQ(guid->bytes[0], 0xc9);
    EXPECT_EQ(guid->bytes[15], 0x33);
    EXPECT_EQ(text_of([&](text_sink& out) { put_guid(out, *guid); }), "c9da6455-213d-42c9-9a79-3e9149a57833");
    for (auto text : {"", "c9da6455213d42c99a793e9149a57833", "c9da6455-213d-42c9-9a79-3e9149a5783",
                      "c9da6455-213d-42c9-9a79-3e9149a578333", "c9da6455x213d-42c9-9a79-3e9149a57833",
                      "c9da6455-213d-42c9-9a79-3e9149a5783g", "{9da6455-213d-42c9-9a79-3e9149a57833"}) {
        EXPECT_FALSE(parse_guid(text)) << text;
    }
}

} // namespace
