#include "query/core/filter_parser.hh"

#include <gtest/gtest.h>

#include "tests/unit/query/filter_text.hh"

namespace {

using query::dialect;
using query::filter_errc;
using query_test::filter_text;

constexpr int64_t now_ns = 1'794'821'400'000'000'000; // 2026-11-16T09:30:00Z

// What a filter of the Table service means: itself with every group in parentheses and every literal in its longest form.
void check(std::string_view text, std::string_view meaning) {
    const auto parsed = query::parse_filter(text, dialect::table_service);
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().message;
    EXPECT_EQ(filter_text(*parsed), meaning) << text;
}

void check_native(std::string_view text, std::string_view meaning) {
    const auto parsed = query::parse_filter(text, dialect::native, now_ns);
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().message;
    EXPECT_EQ(filter_text(*parsed), meaning) << text;
}

void check_refused(std::string_view text, filter_errc code, std::string_view message, dialect d = dialect::table_service) {
    const auto parsed = query::parse_filter(text, d, now_ns);
    ASSERT_FALSE(parsed) << text << " was read as " << filter_text(*parsed);
    EXPECT_EQ(parsed.error().code, code) << text << ": " << parsed.error().message;
    EXPECT_EQ(parsed.error().message, message) << text;
}

void check_syntax(std::string_view text, size_t position, dialect d = dialect::table_service) {
    check_refused(text, filter_errc::syntax, fmt::format("Syntax error at position {} in '{}'.", position, text), d);
    EXPECT_EQ(query::parse_filter(text, d).error().position, position) << text;
}

constexpr auto not_implemented = "The requested operation is not implemented on the specified resource.";
constexpr auto not_valid = "One of the request inputs is not valid.";

TEST(filter_parser, and_binds_tighter_than_or_and_not_tighter_than_both) {
    check("a or b and c", "(a or (b and c))");
    check("a and b or c", "((a and b) or c)");
    check("(a or b) and c", "((a or b) and c)");
    check("a and b and c or d or e and f", "((a and b and c) or d or (e and f))");
    check("not a and b", "(not a and b)");
    check("not (a and b)", "not (a and b)");
    check("not a eq 1", "not a eq 1");
    check("not a eq 1 or b", "(not a eq 1 or b)");
    check("a and not b and c", "(a and not b and c)");
    check("not not a", "not not a");
    check("not (not a)", "not not a");
    check("a and (b and c)", "(a and (b and c))");
    check("((a or (b)))", "(a or b)");
    check("not (PartitionKey lt 'b')", "not PartitionKey lt 'b'");
}

TEST(filter_parser, parentheses_may_stand_around_one_operand) {
    check("(IsOpen) eq true", "IsOpen eq true");
    check("((a)) eq 1", "a eq 1");
    check("a eq (1)", "a eq 1");
    check("a eq ((1))", "a eq 1");
    check("(a) eq (1) and ((b))", "(a eq 1 and b)");
    check("((a) eq 1)", "a eq 1");
    check("not (a) eq 1", "not a eq 1");
    check("('x') eq (a)", "a eq 'x'");
    check("(true)", "true");
}

TEST(filter_parser, blanks_separate_and_parentheses_need_none) {
    check("  a   eq\t1  ", "a eq 1");
    check("(a eq 1)and(b eq 2)or(c)", "((a eq 1 and b eq 2) or c)");
    check("not(a eq 1)", "not a eq 1");
    check("a eq'x'and b", "(a eq 'x' and b)");
    check("a\r\neq\n1", "a eq 1");
}

TEST(filter_parser, empty_text_is_no_filter) {
    check("", "");
    check("   ", "");
    EXPECT_TRUE(query::parse_filter(" \t", dialect::native)->is_empty());
}

TEST(filter_parser, true_and_false_are_filters_in_any_case) {
    check("true", "true");
    check("False", "false");
    check("TRUE and a", "(true and a)");
    check("a eq True", "a eq true");
}

TEST(filter_parser, every_operator_is_read_and_a_literal_on_the_left_mirrors_it) {
    check("a eq 1", "a eq 1");
    check("a ne 1", "a ne 1");
    check("a lt 1", "a lt 1");
    check("a le 1", "a le 1");
    check("a gt 1", "a gt 1");
    check("a ge 1", "a ge 1");
    check("1 eq a", "a eq 1");
    check("1 ne a", "a ne 1");
    check("1 lt a", "a gt 1");
    check("1 le a", "a ge 1");
    check("1 gt a", "a lt 1");
    check("1 ge a", "a le 1");
}

TEST(filter_parser, literals_have_the_type_they_are_written_in) {
    check("a eq 'O''Neil'", "a eq 'O''Neil'");
    check("a eq ''", "a eq ''");
    check("a eq ''''", "a eq ''''");
    check("a eq 'Ω😀'", "a eq 'Ω😀'");
    check("a eq -5", "a eq -5");
    check("a eq 2147483647", "a eq 2147483647");
    check("a eq 2147483648", "a eq 2147483648L");
    check("a eq -2147483649", "a eq -2147483649L");
    check("a eq 5L", "a eq 5L");
    check("a eq -9223372036854775808l", "a eq -9223372036854775808L");
    check("a eq 1.5", "a eq 1.5d");
    check("a eq 5.0", "a eq 5d");
    check("a eq 1e3", "a eq 1000d");
    check("a eq -1.5E-2", "a eq -0.015d");
    check("a eq 1e+3", "a eq 1000d");
    check("a eq 5d", "a eq 5d");
    check("a eq 5F", "a eq 5d");
    check("a eq 5.5m", "a eq 5.5d");
    check("a eq NaN", "a eq NaN");
    check("a eq INF", "a eq INF");
    check("a eq -INF", "a eq -INF");
    check("a eq datetime'2020-01-02T03:04:05.1234567Z'", "a eq datetime'2020-01-02T03:04:05.1234567Z'");
    check("a eq datetime'2020-01-02T03:04:05.120Z'", "a eq datetime'2020-01-02T03:04:05.12Z'");
    check("a eq datetime'2020-01-02T03:04:05Z'", "a eq datetime'2020-01-02T03:04:05Z'");
    check("a eq guid'C9DA6455-213d-42c9-9a79-3e9149a57833'", "a eq guid'c9da6455-213d-42c9-9a79-3e9149a57833'");
    check("a eq X'0aFF'", "a eq X'0aff'");
    check("a eq binary'0aff'", "a eq X'0aff'");
    check("a eq X''", "a eq X''");
}

TEST(filter_parser, names_are_words_of_any_script_and_keywords_only_in_their_place) {
    check("Größe_1 eq 1", "\"Größe_1\" eq 1");
    check("_a eq 1", "_a eq 1");
    check("eq eq 1", "eq eq 1");
    check("and and or", "(and and or)");
    check("datetime eq 1", "datetime eq 1");
    check("Not", "\"Not\"");
    check("nan eq 1", "nan eq 1");
}

TEST(filter_parser, syntax_errors_tell_the_place_behind_the_token) {
    check_syntax("aaa bbb ccc", 7);
    check_syntax("a eq", 4);
    check_syntax("a eq ", 5);
    check_syntax("a and", 5);
    check_syntax("and b", 5);
    check_syntax("(a eq 1", 7);
    check_syntax("a eq 1)", 7);
    check_syntax("()", 2);
    check_syntax("a eq 'x", 7);
    check_syntax("a eq 1 b", 8);
    check_syntax("a eq 1 AND b eq 2", 10);
    check_syntax("a == 1", 3);
    check_syntax("a eq 5x", 7);
    check_syntax("a eq 5L5 and b", 8);
    check_syntax("a eq - 5", 6);
    check_syntax("a eq .5", 6);
    check_syntax("a eq 5.", 7);
    check_syntax("a eq 1.5L", 9);
    check_syntax("a eq 1e400", 10);
    check_syntax("a eq 9223372036854775808", 24);
    check_syntax("a eq guid'123'", 14);
    check_syntax("a eq X'abc'", 11);
    check_syntax("a eq X'zz'", 10);
    check_syntax("a eq datetime'yesterday'", 24);
    check_syntax("a eq datetime '2020-01-01'", 26);
    check_syntax("a eq (1", 7);
    check_syntax("a eq (1 and b)", 11);
    check_syntax("5", 1);
    check_syntax("a and 'x'", 9);
    check_syntax("null", 4);
    check_syntax("a and 5x or b", 8);
    check_syntax("not", 3);
    check_syntax("a, b", 2);
    check_syntax("\"a\" eq 1", 1);
    check_syntax("tag.x eq 1", 4);
}

TEST(filter_parser, positions_count_utf16_units) {
    check_syntax("é bbb", 5);
    check_syntax("a eq '😀' bbb", 13);
}

TEST(filter_parser, what_is_well_formed_but_not_served_is_not_implemented) {
    check_refused("a eq b", filter_errc::not_implemented, not_implemented);
    check_refused("1 eq 1", filter_errc::not_implemented, not_implemented);
    check_refused("'a' lt 5", filter_errc::not_implemented, not_implemented);
    check_refused("startswith(a,'b')", filter_errc::not_implemented, not_implemented);
    check_refused("substringof('b',a) eq true", filter_errc::not_implemented, not_implemented);
    check_refused("a eq length(b)", filter_errc::not_implemented, not_implemented);
    check_refused("a add 5 eq 7", filter_errc::not_implemented, not_implemented);
    check_refused("(a eq 1) eq true", filter_errc::not_implemented, not_implemented);
    check_refused("a eq 1 eq 2", filter_errc::not_implemented, not_implemented);
    check_refused("x and (a eq b or c)", filter_errc::not_implemented, not_implemented);
}

TEST(filter_parser, nothing_compares_with_null) {
    const auto ordered = [](std::string_view name) {
        return fmt::format("The operator '{}' is not supported for the 'null' literal; only equality checks are supported.",
                           name);
    };
    check_refused("x eq null", filter_errc::null_literal, not_valid);
    check_refused("x ne null", filter_errc::null_literal, not_valid);
    check_refused("null eq x", filter_errc::null_literal, not_valid);
    check_refused("x lt null", filter_errc::null_literal, ordered("LessThan"));
    check_refused("x le null", filter_errc::null_literal, ordered("LessThanOrEqual"));
    check_refused("x gt null", filter_errc::null_literal, ordered("GreaterThan"));
    check_refused("x ge null", filter_errc::null_literal, ordered("GreaterThanOrEqual"));
    const auto native = query::parse_filter("message eq null", dialect::native);
    ASSERT_FALSE(native);
    EXPECT_TRUE(native.error().message.starts_with("Nothing is equal to null.")) << native.error().message;
}

TEST(filter_parser, text_that_is_not_utf_8_is_told_so) {
    EXPECT_EQ(query::parse_filter("a eq '\xff'", dialect::native).error().message, "It is not valid UTF-8.");
}

TEST(filter_parser, a_syntax_error_is_told_before_what_is_not_served) {
    check_syntax("a eq b c", 8);
    check_syntax("x eq null and", 13);
}

TEST(filter_parser, size_and_depth_are_bounded) {
    const auto nested = [](size_t depth) { return std::string(depth, '(') + "a eq 1" + std::string(depth, ')'); };
    const auto joined = [](size_t count) {
        std::string text = "a";
        for (size_t i = 1; i < count; ++i) {
            text += " or a";
        }
        return text;
    };
    const auto negated = [](size_t count) {
        std::string text;
        for (size_t i = 0; i < count; ++i) {
            text += "not ";
        }
        return text + "a";
    };
    check(nested(query::filter_depth_max), "a eq 1");
    check_refused(nested(query::filter_depth_max + 1), filter_errc::too_large, "The filter is nested more than 100 deep.");
    check_refused("a eq " + std::string(30'000, '('), filter_errc::too_large, "The filter is nested more than 100 deep.");
    EXPECT_TRUE(query::parse_filter(negated(query::filter_depth_max), dialect::table_service));
    check_refused(negated(query::filter_depth_max + 1), filter_errc::too_large, "The filter is nested more than 100 deep.");
    EXPECT_TRUE(query::parse_filter(joined(query::filter_nodes_max - 2), dialect::table_service));
    check_refused(joined(query::filter_nodes_max - 1), filter_errc::too_large, "The filter has more than 2000 parts.");
    check(std::string(query::filter_bytes_max, ' '), "");
    check_refused(std::string(query::filter_bytes_max + 1, ' '), filter_errc::too_large,
                  "The filter is longer than 65536 bytes.");
}

TEST(filter_parser, bytes_that_are_not_utf8_are_refused_and_not_repeated) {
    check_refused("a eq '\xff'", filter_errc::not_utf8, not_valid);
}

TEST(filter_parser, native_functions_take_a_name_and_a_string) {
    check_native("contains(message,'x')", "contains(message,'x')");
    check_native("startswith( host , 'a''b' )", "startswith(host,'a''b')");
    check_native("not endswith(tag.host,'x') and a", "(not endswith(tag.host,'x') and a)");
    check_native("(matchesPattern(message,'^a.*b$'))", "matchesPattern(message,'^a.*b$')");
    check_native("contains eq 1", "contains eq 1");
    check_syntax("contains(message)", 17, dialect::native);
    check_syntax("contains('x',message)", 12, dialect::native);
    check_syntax("contains(message,5)", 18, dialect::native);
    check_syntax("contains(message,'x'", 20, dialect::native);
    check_refused("length(a)", filter_errc::not_implemented,
                  "The functions are contains, startswith, endswith and matchesPattern.", dialect::native);
    check_refused("contains(level,'x')", filter_errc::bad_value, "level is not text; compare it instead.", dialect::native);
}

TEST(filter_parser, native_names_have_scopes_dots_and_quotes) {
    check_native("tag.host eq 'a'", "tag.host eq 'a'");
    check_native("field.usage gt 1", "field.usage gt 1");
    check_native("http.code eq 1", "\"http.code\" eq 1");
    check_native("tag.http.code eq 1", "tag.\"http.code\" eq 1");
    check_native("\"http code\" eq 1", "\"http code\" eq 1");
    check_native("tag.\"a \"\" b\" eq 1", "tag.\"a \"\" b\" eq 1");
    check_native("\"tag.x\" eq 1", "\"tag.x\" eq 1");
    check_native("\"true\" eq true", "\"true\" eq true");
    check_syntax("tag. eq 1", 4, dialect::native);
    check_syntax("\"\" eq 1", 2, dialect::native);
    check_syntax("\"a eq 1", 7, dialect::native);
}

TEST(filter_parser, levels_become_severities) {
    check_native("level le 'error'", "level le 3");
    check_native("level le 'ERR'", "level le 3");
    check_native("'warn' ge level", "level le 4");
    check_native("level eq 'emerg' or level eq 'trace'", "(level eq 0 or level eq 7)");
    check_native("level le 3", "level le 3");
    check_native("tag.level eq 'low'", "tag.level eq 'low'");
    check_refused("level eq 'low'", filter_errc::bad_value,
                  "'low' is not a level: emerg, alert, crit, error, warning, notice, info, debug. "
                  "A tag or field of that name is tag.level or field.level.",
                  dialect::native);
    check("level eq 'low'", "level eq 'low'");
}

TEST(filter_parser, times_become_nanoseconds) {
    check_native("time ge '2026-11-16T09:30:00Z'", "time ge 1794821400000000000L");
    check_native("time ge 2026-11-16T09:30:00.123456789Z", "time ge 1794821400123456789L");
    check_native("time ge 2026-11-16", "time ge 1794787200000000000L");
    check_native("time ge datetime'2026-11-16T09:30:00Z'", "time ge 1794821400000000000L");
    check_native("time ge 1794821400", "time ge 1794821400000000000L");
    check_native("time ge 1794821400123", "time ge 1794821400123000000L");
    check_native("time ge '1794821400123456'", "time ge 1794821400123456000L");
    check_native("time ge 1794821400123456789", "time ge 1794821400123456789L");
    check_native("time ge 5L", "time ge 5L");
    check_native("time ge -15m", "time ge 1794820500000000000L");
    check_native("time ge '-1h' and time lt now", "(time ge 1794817800000000000L and time lt 1794821400000000000L)");
    check_native("'-1d' lt time", "time gt 1794735000000000000L");
    check_native("now ge time", "time le 1794821400000000000L");
    check_native("field.time eq 5", "field.time eq 5");
    const auto refused = [](std::string_view literal) {
        check_refused(fmt::format("time ge {}", literal), filter_errc::bad_value,
                      fmt::format("{} is not a time: RFC 3339, Unix time, or relative as in '-15m'.", literal), dialect::native);
    };
    for (auto literal :
         {"'soon'", "true", "host", "1.5", "-5x", "15m", "datetime'x'", "1600-01-01", "99999999999999999999", "'-999999999w'"}) {
        refused(literal);
    }
    check("time eq 5", "time eq 5");
}

} // namespace
