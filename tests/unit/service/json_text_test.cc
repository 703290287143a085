#include "service/core/json_text.hh"

#include <gtest/gtest.h>

#include <cfloat>
#include <cstdlib>
#include <limits>
#include <optional>

namespace {

std::string json(std::string_view text) {
    return service::text_of([&](auto& sink) { service::put_json_string(sink, text); });
}

std::string real(double value) {
    return service::text_of([&](auto& sink) { service::put_json_real(sink, value); });
}

TEST(json_text, what_json_cannot_hold_is_escaped) {
    EXPECT_EQ(json(""), R"("")");
    EXPECT_EQ(json("plain text, long enough for words"), R"("plain text, long enough for words")");
    EXPECT_EQ(json("a\"b\\c"), R"("a\"b\\c")");
    EXPECT_EQ(json("\b\f\n\r\t"), R"("\b\f\n\r\t")");
    EXPECT_EQ(json(std::string_view("\0\x1f", 2)), "\"\\u0000\\u001f\"");
    EXPECT_EQ(json("\x7f/"), "\"\x7f/\"");
}

TEST(json_text, utf8_goes_out_as_it_is) {
    EXPECT_EQ(json("é😀\xef\xbf\xbf"), "\"é😀\xef\xbf\xbf\"");
}

TEST(json_text, a_special_byte_is_found_at_every_place_of_a_word) {
    for (size_t size = 1; size < 40; ++size) {
        for (size_t at = 0; at < size; ++at) {
            for (char special : {'"', '\\', '\n', '\x1f'}) {
                // 0x80 and 0xa2 differ from specials in the high bit only.
                for (char filler : {'x', '\x21', '\xa2', '\x80', '\xff'}) {
                    std::string text(size, filler);
                    text[at] = special;
                    const auto escaped = json(text);
                    const size_t grown = special == '\x1f' ? 5 : 1;
                    ASSERT_EQ(escaped.size(), size + 2 + grown) << size << ' ' << at;
                    ASSERT_EQ(escaped[1 + at], '\\');
                    ASSERT_EQ(escaped.substr(1, at), std::string(at, filler));
                    ASSERT_EQ(escaped.substr(at + 2 + grown), std::string(size - at - 1, filler) + '"');
                }
            }
        }
    }
}

// T42
TEST(json_text, reals_always_have_a_point_or_an_exponent) {
    EXPECT_EQ(real(5), "5.0");
    EXPECT_EQ(real(-0.0), "-0.0");
    EXPECT_EQ(real(0.1), "0.1");
    EXPECT_EQ(real(5e9), "5e+09");
    EXPECT_EQ(real(1e22), "1e+22");
    EXPECT_EQ(real(123456.0), "123456.0");
}

TEST(json_text, reals_read_back_the_same) {
    for (double value : {DBL_MIN, DBL_MAX, -DBL_MAX, std::numeric_limits<double>::denorm_min(), 1.0 / 3, 4503599627370496.5,
                         9007199254740993.0, -2.2250738585072014e-308}) {
        EXPECT_EQ(std::strtod(real(value).c_str(), nullptr), value);
    }
}

TEST(json_text, unescaping_works_in_place_and_refuses_bad_escapes) {
    auto unescaped = [](std::string raw) -> std::optional<std::string> {
        const auto size = service::unescape_json(raw, raw.data());
        return size ? std::optional(raw.substr(0, *size)) : std::nullopt;
    };
    EXPECT_EQ(unescaped(""), "");
    EXPECT_EQ(unescaped("plain"), "plain");
    EXPECT_EQ(unescaped(R"(a\\b\\\\c)"), R"(a\b\\c)");
    EXPECT_EQ(unescaped(R"(\u0041\u00e9\u20ac\ud83d\ude00\/\"z)"), "Aé€😀/\"z");
    for (auto raw : {R"(\)", R"(a\)", R"(\x)", R"(\u)", R"(\u123)", R"(\u12g4)", R"(\u-123)", R"(\ud800)", R"(\ud800x)",
                     R"(\ud800\n)", R"(\ud800\ud800)", R"(\udc00\ud800)"}) {
        EXPECT_EQ(unescaped(raw), std::nullopt) << raw;
    }
}

TEST(json_text, numbers_are_told_apart_by_the_grammar) {
    using enum service::json_number;
    for (auto token : {"0", "-0", "5", "-12", "123456789012345678901234567890"}) {
        EXPECT_EQ(service::classify_json_number(token), integer) << token;
    }
    for (auto token : {"0.5", "-1.25", "1e3", "1E+3", "0e-0", "1.5e400"}) {
        EXPECT_EQ(service::classify_json_number(token), real) << token;
    }
    for (auto token : {"", "-", "+1", "01", "-01", ".5", "1.", "1.e5", "1e", "1e+", "0x1", "1 ", "NaN", "1_000", "--1"}) {
        EXPECT_EQ(service::classify_json_number(token), none) << token;
    }
}

TEST(text_sink, keeps_what_was_there_and_grows_without_losing_bytes) {
    std::string out = "head:";
    std::string wanted = out;
    {
        service::text_sink sink(out);
        for (int i = 0; i < 1000; ++i) {
            sink.put_number(i);
            sink.put(',');
            sink.put(std::string_view());
            sink.put("text");
            wanted += std::to_string(i) + ",text";
        }
        sink.put_number(std::numeric_limits<int64_t>::min());
    }
    EXPECT_EQ(out, wanted + "-9223372036854775808");
}

} // namespace
