#include "query/core/filter_eval.hh"

#include <gtest/gtest.h>

#include "query/core/entity_matcher.hh"
#include "query/core/filter_parser.hh"
#include "tests/unit/query/filter_text.hh"
#include "tests/unit/query/test_entity.hh"

namespace {

using query::dialect;
using query_test::test_entity;
using tables::value;

bool matches(std::string_view text, const test_entity& entity, dialect d = dialect::table_service) {
    auto parsed = query::parse_filter(text, d);
    EXPECT_TRUE(parsed) << text << ": " << parsed.error().message;
    auto program = query::program::compile(std::move(*parsed));
    EXPECT_TRUE(program) << text << ": " << program.error().message;
    return query::entity_matcher(*program).matches(entity.view());
}

// One value of each type; as a property all of them are below the literal `high` of the same type and above `low`.
struct typed_value {
    const char* type;
    value stored;
    const char* same;
    const char* low;
    const char* high;
};

tables::guid guid_of(uint8_t first) {
    tables::guid g;
    g.bytes[0] = first;
    return g;
}

const typed_value typed_values[] = {
    {"String", value::of_string("b"), "'b'", "'a'", "'c'"},
    {"Int32", value::of_int32(5), "5", "4", "6"},
    {"Int64", value::of_int64(5), "5L", "4L", "6L"},
    {"Double", value::of_real(5), "5.0", "4.5", "5.5"},
    {"Boolean", value::of_boolean(true), "true", "false", "true"},
    {"DateTime", value::of_datetime(*base::parse_time("2020-01-02")), "datetime'2020-01-02'", "datetime'2020-01-01'",
     "datetime'2020-01-02T00:00:00.0000001Z'"},
    {"Guid", value::of_guid(guid_of(0x80)), "guid'80000000-0000-0000-0000-000000000000'",
     "guid'7f000000-0000-0000-0000-ffffffffffff'", "guid'81000000-0000-0000-0000-000000000000'"},
    {"Binary", value::of_binary("\x80"), "X'80'", "X'7fff'", "X'8000'"},
};

test_entity with_property(const value& v) {
    return {"p", "r", base::unix_epoch, {{"x", v}}};
}

// eq, ne, lt, le, gt, ge as six digits.
std::string outcomes(const value& stored, std::string_view literal) {
    std::string out;
    for (auto op : {"eq", "ne", "lt", "le", "gt", "ge"}) {
        out += matches(fmt::format("x {} {}", op, literal), with_property(stored)) ? '1' : '0';
    }
    return out;
}

constexpr auto equal = "100101";
constexpr auto less = "011100"; // also a mismatch
constexpr auto greater = "010011";
constexpr auto unordered = "010000";

bool widens(std::string_view stored, std::string_view literal) {
    return (stored == "Int64" && literal == "Int32") || (stored == "Double" && (literal == "Int32" || literal == "Int64"));
}

TEST(filter_eval, every_cell_of_the_type_table) {
    for (const auto& s : typed_values) {
        for (const auto& l : typed_values) {
            const bool is_comparable = s.type == l.type || widens(s.type, l.type);
            EXPECT_EQ(outcomes(s.stored, l.same), is_comparable ? equal : less) << s.type << " and " << l.same;
            EXPECT_EQ(outcomes(s.stored, l.low), is_comparable ? greater : less) << s.type << " and " << l.low;
            if (l.type != std::string_view("Boolean")) {
                EXPECT_EQ(outcomes(s.stored, l.high), less) << s.type << " and " << l.high;
            }
        }
    }
    EXPECT_EQ(outcomes(value::of_boolean(false), "true"), less);
}

TEST(filter_eval, in_the_native_dialect_numbers_compare_by_value) {
    constexpr int64_t large = int64_t{1} << 53;
    const auto check = [](const value& stored, std::string_view filter, bool expected) {
        EXPECT_EQ(matches(filter, with_property(stored), dialect::native), expected) << filter;
    };
    for (const auto& six : {value::of_int32(6), value::of_int64(6), value::of_real(6)}) {
        check(six, "x gt 5.5", true);
        check(six, "x gt 6.5", false);
        check(six, "x eq 6", true);
        check(six, "x eq 6L", true);
        check(six, "x eq 6.0", true);
        check(six, "x lt 1e300", true);
        check(six, "x ne NaN", true);
        check(six, "x lt NaN", false);
        check(six, "x lt 'a'", true); // other types are less, as ever
    }
    check(value::of_int64(large + 1), fmt::format("x gt {}.0", large), true);
    check(value::of_int64(large + 1), fmt::format("x eq {}.0", large), false);
    check(value::of_real(static_cast<double>(large)), fmt::format("x eq {}L", large + 1), false);
    check(value::of_real(static_cast<double>(large)), fmt::format("x lt {}L", large + 1), true);
    check(value::of_int64(INT64_MAX), "x lt 9223372036854775808.0", true);
    check(value::of_int64(INT64_MIN), "x eq -9223372036854775808.0", true);
}

TEST(filter_eval, a_literal_on_the_left_mirrors_the_comparison) {
    const auto check = [](std::string_view filter, bool expected) {
        EXPECT_EQ(matches(filter, with_property(value::of_int32(5))), expected) << filter;
    };
    check("5 eq x", true);
    check("5 ne x", false);
    check("4 lt x", true);
    check("5 lt x", false);
    check("5 le x", true);
    check("6 gt x", true);
    check("5 gt x", false);
    check("5 ge x", true);
    check("'a' gt x", true); // a mismatch: the property is less, on whatever side it stands
    check("'a' lt x", false);
}

TEST(filter_eval, not_a_number_equals_nothing) {
    const auto nan = value::of_real(std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(outcomes(nan, "5"), unordered);
    EXPECT_EQ(outcomes(nan, "NaN"), unordered);
    EXPECT_EQ(outcomes(value::of_real(5), "NaN"), unordered);
    EXPECT_EQ(outcomes(value::of_int32(5), "NaN"), less);
    EXPECT_EQ(outcomes(value::of_real(-0.0), "0"), equal);
    EXPECT_EQ(outcomes(value::of_real(1), "INF"), less);
    EXPECT_EQ(outcomes(value::of_real(1), "-INF"), greater);
}

TEST(filter_eval, numbers_compare_over_their_whole_range) {
    EXPECT_EQ(outcomes(value::of_int64(INT64_MAX), "9223372036854775806L"), greater);
    EXPECT_EQ(outcomes(value::of_int64(INT64_MIN), "9223372036854775807L"), less);
    EXPECT_EQ(outcomes(value::of_int64(5'000'000'000), "5000000000"), equal);
    EXPECT_EQ(outcomes(value::of_int32(-1), "0"), less);
    EXPECT_EQ(outcomes(value::of_real(9007199254740992.0), "9007199254740993L"), equal) << "rounded to Double";
}

TEST(filter_eval, strings_are_ordered_by_utf16_unit) {
    const auto check = [](std::string_view stored, std::string_view literal, std::string_view expected) {
        EXPECT_EQ(outcomes(value::of_string(stored), query_test::quoted(literal, '\'')), expected)
            << stored << " and " << literal;
    };
    check("O'Neil", "O'Neil", equal);
    check("B", "b", less);
    check("b", "bB", less);
    check("", "a", less);
    check("", "", equal);
    check("é", "z", greater);
    check("\U00010000", "\uE000", less);
    check("\U0010FFFF", "\uFFFF", less);
    check("\U00010000", "\uD7FF", greater);
    check("a long text that is the same\U0001F600", "a long text that is the same\uFF00", less);
    check("\U00010001", "\U00010000", greater);
    check("\uFFFF", "\uE000", greater);
}

TEST(filter_eval, a_missing_property_makes_every_comparison_false) {
    const auto entity = with_property(value::of_int32(1));
    for (auto op : {"eq", "ne", "lt", "le", "gt", "ge"}) {
        EXPECT_FALSE(matches(fmt::format("missing {} 1", op), entity)) << op;
        EXPECT_TRUE(matches(fmt::format("not (missing {} 1)", op), entity)) << op;
    }
    EXPECT_FALSE(matches("X eq 1", entity)) << "names are case-sensitive";
    EXPECT_FALSE(matches("partitionkey eq 'p'", entity));
    EXPECT_FALSE(matches("missing", entity));
    EXPECT_FALSE(matches("a eq 1", {"p", "r", base::unix_epoch, {}}));
}

TEST(filter_eval, keys_are_strings_and_the_timestamp_a_datetime) {
    const test_entity entity("p", "r", *base::parse_time("2026-11-16T09:30:00Z"), {});
    const auto check = [&entity](std::string_view filter, bool expected) {
        EXPECT_EQ(matches(filter, entity), expected) << filter;
    };
    check("PartitionKey eq 'p' and RowKey eq 'r'", true);
    check("PartitionKey eq 'p' and RowKey eq 'x'", false);
    check("not (PartitionKey lt 'b')", true);
    check("Timestamp ge datetime'2026-11-16T09:30:00Z' and Timestamp lt datetime'2026-11-17'", true);
    check("Timestamp gt datetime'2026-11-16T09:30:00Z'", false);
    check("PartitionKey lt 5", true);
}

TEST(filter_eval, a_bare_name_is_true_only_for_a_true_boolean) {
    EXPECT_TRUE(matches("x", with_property(value::of_boolean(true))));
    EXPECT_FALSE(matches("x", with_property(value::of_boolean(false))));
    EXPECT_TRUE(matches("not x", with_property(value::of_boolean(false))));
    EXPECT_FALSE(matches("x", with_property(value::of_string("true"))));
    EXPECT_FALSE(matches("x", with_property(value::of_int32(1))));
    EXPECT_TRUE(matches("(x) eq true", with_property(value::of_boolean(true))));
}

TEST(filter_eval, constants_decide_by_themselves) {
    const auto entity = with_property(value::of_int32(1));
    const auto check = [&entity](std::string_view filter, bool expected) {
        EXPECT_EQ(matches(filter, entity), expected) << filter;
    };
    check("", true);
    check("true", true);
    check("false", false);
    check("not false", true);
    check("true and x eq 1", true);
    check("false or x eq 1", true);
    check("x eq 1 and false", false);
    check("x eq 2 or true", true);
    check("not (true and false) and (false or x eq 1)", true);
    check("true and true and not true", false);
}

TEST(filter_eval, and_or_and_not_follow_precedence) {
    const test_entity entity("p", "r", base::unix_epoch, {{"f", value::of_boolean(false)}, {"t", value::of_boolean(true)}});
    const auto check = [&entity](std::string_view filter, bool expected) {
        EXPECT_EQ(matches(filter, entity), expected) << filter;
    };
    check("t or f and f", true);
    check("(t or f) and f", false);
    check("f and f or t", true);
    check("not f and t", true);
    check("not (f or t)", false);
    check("f or f or t", true);
    check("t and t and f", false);
    check("not t or t and not f", true);
}

TEST(filter_eval, functions_look_at_strings_only) {
    const test_entity entity("p", "r", base::unix_epoch,
                             {{"n", value::of_int32(5)}, {"s", value::of_string("timeout after 30 s")}});
    const auto check = [&entity](std::string_view filter, bool expected) {
        EXPECT_EQ(matches(filter, entity, dialect::native), expected) << filter;
    };
    check("contains(s,'after')", true);
    check("contains(s,'After')", false);
    check("contains(s,'')", true);
    check("contains(s,'timeout after 30 s and more')", false);
    check("startswith(s,'time')", true);
    check("startswith(s,'after')", false);
    check("endswith(s,'30 s')", true);
    check("endswith(s,'x timeout after 30 s')", false);
    check("matchesPattern(s,'after [0-9]+ s$')", true);
    check("matchesPattern(s,'^after')", false);
    check("contains(n,'5')", false);
    check("matchesPattern(n,'5')", false);
    check("not contains(missing,'x')", true);
    check("contains(field.s,'after') and not contains(tag.s,'after')", true);
}

TEST(filter_eval, patterns_are_bounded) {
    const auto refused = [](std::string text) {
        auto program = query::program::compile(*query::parse_filter(text, dialect::native));
        return program ? "" : program.error().message;
    };
    const auto pattern = [](std::string_view text) { return fmt::format("matchesPattern(a,'{}')", text); };
    EXPECT_EQ(refused(pattern("(")), "The pattern '(' cannot be used: missing ): (.");
    EXPECT_EQ(refused(pattern("(a)\\1")), "The pattern '(a)\\1' cannot be used: invalid escape sequence: \\1.");
    EXPECT_EQ(refused(pattern(".{0,1000}x")), "The pattern '.{0,1000}x' is too complex: shorten its repetitions.");
    EXPECT_EQ(refused(pattern(std::string(2000, 'a'))), "A pattern has at most 1024 bytes.");
    std::string many = pattern("a");
    for (size_t i = 1; i < query::patterns_count_max; ++i) {
        many += " or " + pattern("a");
    }
    EXPECT_EQ(refused(many), "");
    EXPECT_EQ(refused(many + " or " + pattern("a")), "The filter has more than 16 patterns.");
}

TEST(filter_eval, searching_text_for_a_hostile_argument_stays_linear) {
    const std::string text(30'000, 'a');
    const std::string argument = std::string(15'000, 'a') + "b" + std::string(10'000, 'a');
    const test_entity entity("p", "r", base::unix_epoch, {{"s", value::of_string(text)}});
    auto program = query::program::compile(*query::parse_filter(fmt::format("contains(s,'{}')", argument), dialect::native));
    query::entity_matcher matcher(*program);
    for (int i = 0; i < 100; ++i) { // quadratic would be 4e10 steps
        ASSERT_FALSE(matcher.matches(entity.view()));
    }
}

// A row that is no entity, as the native API has them.
struct record_row {
    std::vector<std::optional<value>> values;

    std::optional<value> value_of(size_t slot) { return values[slot]; }
};

TEST(filter_eval, a_program_runs_over_any_row_that_answers_for_its_slots) {
    constexpr int64_t now_ns = 1'794'821'400'000'000'000;
    auto parsed =
        query::parse_filter("level le 'error' and time ge -15m and (host eq 'a' or host eq 'b')", dialect::native, now_ns);
    const auto program = *query::program::compile(std::move(*parsed));
    ASSERT_EQ(program.slots().size(), 3u);
    EXPECT_EQ(program.slots()[0].name, "level");
    EXPECT_EQ(program.slots()[1].name, "time");
    EXPECT_EQ(program.slots()[2].name, "host");
    record_row row{{value::of_int32(3), value::of_int64(now_ns), value::of_string("b")}};
    EXPECT_TRUE(program.matches(row));
    row.values[0] = value::of_int32(4);
    EXPECT_FALSE(program.matches(row));
    row.values = {value::of_int32(0), value::of_int64(now_ns - 901'000'000'000), value::of_string("b")};
    EXPECT_FALSE(program.matches(row));
}

TEST(filter_eval, a_moved_program_still_works) {
    auto first =
        query::program::compile(*query::parse_filter("x eq 'short' or x eq 'much longer than a small string'", dialect::native));
    const query::program second = std::move(*first);
    query::entity_matcher matcher(second);
    EXPECT_TRUE(matcher.matches(with_property(value::of_string("short")).view()));
    EXPECT_TRUE(matcher.matches(with_property(value::of_string("much longer than a small string")).view()));
    EXPECT_FALSE(matcher.matches(with_property(value::of_string("other")).view()));
}

TEST(filter_eval, rows_of_different_shapes_may_follow_each_other) {
    const auto program = *query::program::compile(*query::parse_filter("m eq 1", dialect::table_service));
    query::entity_matcher matcher(program);
    const value one = value::of_int32(1);
    const test_entity rows[] = {{"p", "r", {}, {{"a", one}, {"m", one}}},
                                {"p", "r", {}, {{"m", one}}},
                                {"p", "r", {}, {{"a", one}}},
                                {"p", "r", {}, {}},
                                {"p", "r", {}, {{"a", one}, {"b", one}, {"m", one}}}};
    std::string found;
    for (const auto& row : rows) {
        found += matcher.matches(row.view()) ? '1' : '0';
    }
    EXPECT_EQ(found, "11001");
}

} // namespace
