#include "query/core/prune.hh"

#include <gtest/gtest.h>

#include "query/core/filter_parser.hh"
#include "tests/unit/query/filter_text.hh"

namespace {

using tables::value;

// n: Int32 10..20. d: Double 1..2. s: String 'b'..'d'. m: Int32 5..5 and String 'x'..'y', missing in some rows.
// t: Boolean true in all. f: Boolean false in all. none: in no row. Anything else is unknown.
class block : public query::stats_source {
public:
    std::optional<query::property_stats> find(const query::subject& s) const override {
        if (s.name == "n") {
            return one(_n);
        }
        if (s.name == "d") {
            return one(_d);
        }
        if (s.name == "nan") {
            return one(_nan);
        }
        if (s.name == "s") {
            return one(_s);
        }
        if (s.name == "m") {
            return query::property_stats{_m, true};
        }
        if (s.name == "t") {
            return one(_t);
        }
        if (s.name == "f") {
            return one(_f);
        }
        return s.name == "none" ? std::optional(query::property_stats{}) : std::nullopt;
    }

private:
    static query::property_stats one(const query::column_stats& c) { return {std::span(&c, 1), false}; }

    query::column_stats _n{value::of_int32(10), value::of_int32(20)};
    query::column_stats _d{value::of_real(1), value::of_real(2), false};
    query::column_stats _nan{value::of_real(1), value::of_real(2), true};
    query::column_stats _s{value::of_string("b"), value::of_string("d")};
    query::column_stats _m[2]{{value::of_int32(5), value::of_int32(5)}, {value::of_string("x"), value::of_string("y")}};
    query::column_stats _t{value::of_boolean(true), value::of_boolean(true)};
    query::column_stats _f{value::of_boolean(false), value::of_boolean(false)};
};

void check(std::string_view filter, bool expected) {
    EXPECT_EQ(query::can_match(*query::parse_filter(filter, query::dialect::native), block()), expected) << filter;
}

TEST(prune, a_literal_outside_the_bounds_cannot_match) {
    check("n eq 9", false);
    check("n eq 10", true);
    check("n eq 15", true);
    check("n eq 21", false);
    check("n lt 10", false);
    check("n le 10", true);
    check("n gt 20", false);
    check("n ge 20", true);
    check("n ne 15", true);
    check("s eq 'a'", false);
    check("s eq 'c'", true);
    check("d gt 2", false);
    check("d ge 2L", true);
}

TEST(prune, numbers_of_other_types_are_compared_by_value) {
    check("n eq 15L", true);
    check("n eq 15.0", true);
    check("n lt 0L", false);
    check("n gt 0L", true);
    check("n gt 20.5", false);
    check("n lt 10.5", true);
    check("d gt 2", false);
    check("d lt 1L", false);
}

TEST(prune, the_table_service_keeps_types_apart) {
    EXPECT_FALSE(query::can_match(*query::parse_filter("n eq 15L", query::dialect::table_service), block()));
    EXPECT_TRUE(query::can_match(*query::parse_filter("n lt 0L", query::dialect::table_service), block()));
}

TEST(prune, a_mismatch_is_less_as_in_evaluation) {
    check("s gt 5", false);
    check("s ne 5", true);
}

TEST(prune, not_turns_certainty_round) {
    check("not (n ge 10)", false);
    check("not (n gt 10)", true);
    check("not (n ne 9)", false);
    check("not (m eq 9)", true);
    check("not t", false);
    check("not f", true);
    check("not (d le 2)", false);
    check("not (nan le 2)", true);
}

TEST(prune, every_type_and_every_missing_row_counts) {
    check("m eq 5", true);
    check("m eq 6", false);
    check("m eq 'xx'", true);
    check("m eq 'z'", false);
    check("not (m ne 0)", true);
    check("none eq 1", false);
    check("none ne 1", false);
    check("not (none eq 1)", true);
    check("none", false);
}

TEST(prune, and_needs_all_and_or_needs_one) {
    check("n eq 15 and s eq 'a'", false);
    check("n eq 15 or s eq 'a'", true);
    check("n eq 1 or s eq 'a'", false);
    check("not (n ge 10 and s ge 'b')", false);
    check("not (n ge 10 and s ge 'c')", true);
    check("not (n eq 1 or s eq 'a')", true);
    check("unknown eq 1 and n eq 15", true);
    check("unknown eq 1 and n eq 1", false);
}

TEST(prune, not_a_number_may_hide_behind_bounds) {
    check("nan eq NaN", false);
    check("nan ne NaN", true);
    check("not (nan gt 0)", true);
    check("not (d gt 0)", false);
    check("d gt NaN", false);
}

TEST(prune, constants_bare_names_and_functions) {
    check("", true);
    check("true", true);
    check("false", false);
    check("t", true);
    check("f", false);
    check("n", false);
    check("m", false);
    check("startswith(s,'a')", false);
    check("startswith(s,'c')", true);
    check("startswith(s,'ba')", true);
    check("startswith(s,'da')", false);
    check("startswith(s,'')", true);
    check("not startswith(s,'')", false);
    check("startswith(m,'y')", true);
    check("contains(s,'z')", true);
    check("contains(n,'z')", false);
    check("matchesPattern(none,'z')", false);
}

} // namespace
