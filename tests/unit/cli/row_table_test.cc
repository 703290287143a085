#include "cli/row_table.hh"

#include <array>

#include <gtest/gtest.h>

#include "cli/sparkline.hh"

namespace {

using namespace cli;

std::vector<flat_row> rows(std::initializer_list<const char*> lines) {
    std::vector<flat_row> parsed;
    for (const auto* line : lines) {
        parsed.push_back(parse_row(line).value());
    }
    return parsed;
}

TEST(row_table, columns_are_aligned_numbers_to_the_right) {
    EXPECT_EQ(format_table(rows({R"({"time":"t1","family":"cpu","tags":{"host":"a"},"fields":{"n":5}})",
                                 R"({"time":"t2","family":"cpu","tags":{"host":"größer"},"fields":{"n":1000,"s":"x\ny"}})"}),
                           {}),
              "time  family  host       n  s\n"
              "t1    cpu     a          5  \n"
              "t2    cpu     größer  1000  x y\n");
    EXPECT_EQ(format_table({}, {}), "");
}

TEST(row_table, a_terminal_gets_colours_and_a_sparkline_in_the_order_of_time) {
    const auto text =
        format_table(rows({R"({"time":"2","fields":{"n":8}})", R"({"time":"1","fields":{"n":1}})"}), {.has_colour = true});
    EXPECT_NE(text.find("\033[1m"), text.npos);
    EXPECT_NE(text.find("▁█"), text.npos) << text;
    EXPECT_NE(text.find("1 .. 8"), text.npos);
}

TEST(row_table, a_live_row_is_one_line) {
    EXPECT_EQ(
        format_line(parse_row(R"({"time":"t","family":"cpu","tags":{"host":"a"},"fields":{"n":5},"late":true})").value(), {}),
        "t cpu host=a n=5 late=true\n");
}

TEST(row_table, nothing_of_a_row_is_obeyed_by_a_terminal) {
    const auto row =
        parse_row(R"({"time":"t","source":"web","message":"a\u001b[31mred\u0007\u007f\u009b2J é","fields":{"\u001bn":"x\ny"}})")
            .value();
    EXPECT_EQ(format_line(row, {}), "t web a [31mred   2J é  n=x y\n");
    const auto table = format_table({row}, {});
    EXPECT_EQ(table.find_first_of("\x1b\x07\x7f"), table.npos);
    EXPECT_EQ(table.find("\xc2\x9b"), table.npos);
    EXPECT_EQ(printable("a\tb\nc\x1b", true), "a\tb\nc ");
}

TEST(row_table, columns_that_come_first_do_so_whichever_row_has_them) {
    constexpr std::array<std::string_view, 3> first{"name", "family", "none"};
    EXPECT_EQ(
        format_table(rows({R"({"name":"a","rows":1})", R"({"name":"b","family":"cpu","rows":2})"}), {.first_columns = first}),
        "name  family  rows\n"
        "a                1\n"
        "b     cpu        2\n");
}

TEST(row_table, what_is_no_row_is_an_error) {
    EXPECT_FALSE(parse_row("<html>"));
    EXPECT_FALSE(parse_row("[1]"));
}

TEST(sparkline, spreads_values_over_the_width) {
    const std::vector<double> rising{1, 2, 3, 4, 5, 6, 7, 8};
    EXPECT_EQ(sparkline(rising, 8), "▁▂▃▄▅▆▇█");
    EXPECT_EQ(sparkline(rising, 2), "▁█");
    EXPECT_EQ(sparkline(std::vector<double>{3, 3}, 5), "▅▅");
    EXPECT_EQ(sparkline(std::vector<double>{3}, 5), "");
}

TEST(row_table, long_texts_are_cut_for_a_terminal_alone) {
    const auto long_text =
        rows({R"({"message":"0123456789012345678901234567890123456789012345678901234567890123456789 needle"})"});
    EXPECT_NE(format_table(long_text, {}).find("needle"), std::string::npos);
    EXPECT_EQ(format_table(long_text, {.is_cut = true}).find("needle"), std::string::npos);
}

} // namespace
