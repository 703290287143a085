#include "query/core/key_range.hh"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include "query/core/filter_parser.hh"
#include "tests/unit/query/filter_text.hh"

namespace {

using query::key_cut;
using query::key_range;

std::string cut_text(const key_cut& c) {
    switch (c.at()) {
    case key_cut::side::before_row:
        return c.row_key().empty() ? fmt::format("<{}", c.partition_key())
                                   : fmt::format("<{}/{}", c.partition_key(), c.row_key());
    case key_cut::side::after_row: return fmt::format("{}/{}>", c.partition_key(), c.row_key());
    case key_cut::side::after_partition: return fmt::format("{}>", c.partition_key());
    case key_cut::side::end: return "end";
    }
    return {};
}

// "<a" before partition a, "a>" behind it, "<a/1" before row 1 of it, "a/1>" behind that; a point is "a/1".
std::string ranges_text(const std::vector<key_range>& ranges) {
    std::vector<std::string> texts;
    for (const auto& r : ranges) {
        texts.push_back(r.is_point() ? fmt::format("{}/{}", r.from.partition_key(), r.from.row_key())
                                     : fmt::format("{} .. {}", cut_text(r.from), cut_text(r.to)));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
}

// P is PartitionKey and R is RowKey.
query::filter parsed(std::string text) {
    re2::RE2::GlobalReplace(&text, R"(\bP\b)", "PartitionKey");
    re2::RE2::GlobalReplace(&text, R"(\bR\b)", "RowKey");
    return *query::parse_filter(text, query::dialect::table_service);
}

void check(const std::string& filter, std::string_view ranges) {
    EXPECT_EQ(ranges_text(query::key_ranges_of(parsed(filter))), ranges) << filter;
}

constexpr auto everything = "< .. end";
constexpr auto nothing = "";

TEST(key_range, conditions_of_the_partition_key_make_one_interval) {
    check("P eq 'a'", "<a .. a>");
    check("P gt 'a'", "a> .. end");
    check("P ge 'a'", "<a .. end");
    check("P lt 'a'", "< .. <a");
    check("P le 'a'", "< .. a>");
    check("P ge 'ab' and P lt 'ac'", "<ab .. <ac");
    check("P gt 'a' and P le 'c' and P ge 'b'", "<b .. c>");
    check("'a' lt P", "a> .. end");
    check("P ge 'a' and P le 'a'", "<a .. a>");
    check("P ge 'a' and P gt 'a'", "a> .. end");
}

TEST(key_range, the_row_key_counts_where_the_partition_is_pinned) {
    check("P eq 'a' and R eq '1'", "a/1");
    check("R eq '1' and P eq 'a'", "a/1");
    check("P eq 'a' and R ge '1' and R lt '2'", "<a/1 .. <a/2");
    check("P eq 'a' and R gt '1'", "a/1> .. a>");
    check("P eq 'a' and R le '1'", "<a .. a/1>");
    check("P ge 'a' and P le 'a' and R eq '1'", "a/1");
    check("P ge 'a' and R eq '1'", "<a .. end");
    check("R eq '1'", everything);
    check("P eq '' and R eq ''", "/");
}

TEST(key_range, branches_of_or_are_united_in_key_order) {
    check("P eq 'b' or P eq 'a'", "<a .. a>, <b .. b>");
    check("(P eq 'a' and R eq '2') or (P eq 'a' and R eq '1')", "a/1, a/2");
    check("P eq 'a' and (R eq '2' or R eq '1' or R eq '2')", "a/1, a/2");
    check("(P eq 'b' or P eq 'a') and R ge '5'", "<a/5 .. a>, <b/5 .. b>");
    check("(P eq 'a' or P eq 'b') and (R eq '1' or R eq '2')", "a/1, a/2, b/1, b/2");
    check("P lt 'b' or P gt 'a'", everything);
    check("P le 'b' or P gt 'b'", everything);
    check("P lt 'b' or P gt 'b'", "< .. <b, b> .. end");
    check("P lt 'c' and (P eq 'a' or P eq 'd')", "<a .. a>");
    check("P eq 'a' or x eq 1", everything);
    check("P eq 'a' or R eq '1'", everything);
    check("P eq 'a' or P eq 'a' and R eq '1'", "<a .. a>");
}

TEST(key_range, other_conditions_leave_everything_possible) {
    check("", everything);
    check("true", everything);
    check("x eq 1", everything);
    check("P ne 'a'", everything);
    check("not (P eq 'a')", everything);
    check("not (P ne 'a')", everything);
    check("P lt 5", everything);
    check("P eq 5", everything);
    check("Timestamp gt datetime'2020-01-01'", everything);
    check("partitionKey eq 'a'", everything);
    check("P eq 'a' and x eq 1 and not (R eq '1')", "<a .. a>");
    check("P eq 'a' and R ne '1'", "<a .. a>");
}

TEST(key_range, contradictions_leave_nothing) {
    check("false", nothing);
    check("P eq 'a' and P eq 'b'", nothing);
    check("P gt 'a' and P lt 'a'", nothing);
    check("P ge 'a' and P lt 'a'", nothing);
    check("P eq 'a' and R gt '2' and R lt '1'", nothing);
    check("P lt ''", nothing);
    check("P eq 'a' and R lt ''", nothing);
    check("P eq 'a' and false", nothing);
    check("P eq 'a' and P eq 'b' or P eq 'c'", "<c .. c>");
    check("false or P eq 'c'", "<c .. c>");
}

TEST(key_range, keys_are_ordered_by_utf16_unit) {
    check("P ge '\U00010000' and P le '\uE000'", "<\U00010000 .. \uE000>");
    check("P ge '\uE000' and P le '\U00010000'", nothing);
    check("P eq '\uE000' or P eq '\U00010000'", "<\U00010000 .. \U00010000>, <\uE000 .. \uE000>");
}

TEST(key_range, too_many_ranges_become_their_hull) {
    const auto points = [](size_t count) {
        std::string text = "P eq 'a' and (R eq '1000'";
        for (size_t i = 1; i < count; ++i) {
            text += fmt::format(" or R eq '{}'", 1000 + i);
        }
        return parsed(text + ")");
    };
    EXPECT_EQ(query::key_ranges_of(points(query::key_ranges_max)).size(), query::key_ranges_max);
    EXPECT_EQ(ranges_text(query::key_ranges_of(points(query::key_ranges_max + 1))), "<a/1000 .. a/1512>");
}

TEST(key_range, products_of_many_branches_are_bounded) {
    const auto branches = [](char key, size_t count) {
        std::string text = fmt::format("({} eq '100'", key);
        for (size_t i = 1; i < count; ++i) {
            text += fmt::format(" or {} eq '{}'", key, 100 + i);
        }
        return text + ")";
    };
    const auto product = [&branches](size_t partitions_count, size_t rows_count) {
        return query::key_ranges_of(parsed(branches('P', partitions_count) + " and " + branches('R', rows_count)));
    };
    EXPECT_EQ(product(20, 20).size(), 400u);
    EXPECT_EQ(ranges_text(product(30, 30)), "<100 .. 129>") << "more than key_ranges_max";
    const auto wide = product(200, 200);
    EXPECT_EQ(wide.size(), 200u) << "more than key_range_steps_max: the hull of the rows in each partition";
    EXPECT_EQ(ranges_text({wide.front()}), "<100/100 .. 100/299>");
}

TEST(key_range, a_range_contains_what_lies_between_its_cuts) {
    const key_range rows{key_cut::before_row("b", "2"), key_cut::after_row("d", "4")};
    const auto check = [&rows](std::string_view partition, std::string_view row, bool expected) {
        EXPECT_EQ(rows.contains(partition, row), expected) << partition << "/" << row;
    };
    check("a", "9", false);
    check("b", "1", false);
    check("b", "2", true);
    check("c", "", true);
    check("d", "4", true);
    check("d", "40", false);
    check("e", "", false);
    EXPECT_FALSE(rows.is_point());
    EXPECT_FALSE(rows.is_in_one_partition());
    EXPECT_TRUE((key_range{key_cut::before_partition("a"), key_cut::after_partition("a")}).is_in_one_partition());
    EXPECT_TRUE((key_range{key_cut::before_row("a", "1"), key_cut::before_row("a", "2")}).is_in_one_partition());
    EXPECT_FALSE(key_range{}.is_in_one_partition());
    EXPECT_TRUE((key_range{key_cut::after_partition("a"), key_cut::before_row("a", "2")}).is_empty());
    EXPECT_TRUE((key_range{key_cut::after_row("a", "2"), key_cut::before_row("a", "2")}).is_empty());
}

TEST(key_range, ranges_are_cut_to_a_signatures_range) {
    const key_range within{key_cut::before_row("b", "2"), key_cut::after_row("d", "4")};
    const auto check = [&within](const std::string& filter, std::string_view ranges) {
        EXPECT_EQ(ranges_text(query::intersect(query::key_ranges_of(parsed(filter)), within)), ranges) << filter;
    };
    check("", "<b/2 .. d/4>");
    check("P eq 'b'", "<b/2 .. b>");
    check("P eq 'c'", "<c .. c>");
    check("P eq 'd' and R ge '1'", "<d/1 .. d/4>");
    check("P eq 'a' or P eq 'd' and R eq '4' or P eq 'd' and R eq '5'", "d/4");
    check("P gt 'd'", "");
}

} // namespace
