#include "query/core/native/request.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "query/core/native/name_list.hh"
#include "query/core/time_text.hh"

namespace {

using namespace query;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using kind = from_item::kind;

constexpr int64_t second = 1'000'000'000;
constexpr int64_t now = 1'794'821'400 * second; // 2026-11-16T09:30:00Z

base::expected<request> parse(verb v, std::vector<parameter> parameters) {
    return parse_request(v, parameters, now);
}

std::string why_not(verb v, std::vector<parameter> parameters) {
    const auto parsed = parse(v, std::move(parameters));
    return parsed ? "it was taken" : parsed.error().detail;
}

TEST(request, a_tail_has_ten_rows_newest_first) {
    const auto asked = parse(verb::tail, {{"from", "cpu"}}).value();
    EXPECT_EQ(asked.limit, 10u);
    EXPECT_EQ(asked.order, order_kind::descending);
    EXPECT_EQ(asked.range, time_range());
    EXPECT_FALSE(asked.follow);
}

TEST(request, a_filter_of_another_language_is_told_how_it_is_written_here) {
    for (const char* where : {"usage > 5", "usage = 5", "host in ('a','b')", "host eq 'a' &&"}) {
        EXPECT_THAT(why_not(verb::tail, {{"from", "cpu"}, {"where", where}}), HasSubstr("eq ne lt le gt ge compare")) << where;
    }
}

TEST(request, a_range_has_a_thousand_rows_oldest_first) {
    const auto asked = parse(verb::range, {{"from", "cpu"}, {"start", "-15m"}, {"end", "now"}}).value();
    EXPECT_EQ(asked.limit, 1000u);
    EXPECT_EQ(asked.order, order_kind::ascending);
    EXPECT_EQ(asked.range, (time_range{now - 900 * second, now}));
}

TEST(request, from_names_streams_families_sources_tables_and_everything) {
    const auto asked = parse(verb::tail, {{"from", "cpu,family:a,source:b,table:c,*,cpu"}}).value();
    EXPECT_THAT(asked.from,
                ElementsAre(from_item{kind::stream, "cpu"}, from_item{kind::family, "a"}, from_item{kind::source, "b"},
                            from_item{kind::table, "c"}, from_item{kind::everything, ""}));
    EXPECT_THAT(why_not(verb::tail, {}), HasSubstr("from is missing"));
    EXPECT_THAT(why_not(verb::tail, {{"from", "a,,b"}}), HasSubstr("has no name"));
    EXPECT_THAT(why_not(verb::tail, {{"from", "family:"}}), HasSubstr("has no name"));
}

TEST(request, a_backslash_makes_a_comma_part_of_a_name) {
    const auto asked = parse(verb::tail, {{"from", R"(a\,b,source:c\\,d\e)"}}).value();
    EXPECT_THAT(asked.from,
                ElementsAre(from_item{kind::stream, "a,b"}, from_item{kind::source, R"(c\)"}, from_item{kind::stream, R"(d\e)"}));
    EXPECT_THAT(parse(verb::tail, {{"from", R"(a\)"}}).value().from, ElementsAre(from_item{kind::stream, R"(a\)"}));
}

TEST(request, times_come_in_every_spelling) {
    const auto start = [](std::string_view text) {
        return parse(verb::range, {{"from", "x"}, {"start", text}}).value().range.start_ns;
    };
    EXPECT_EQ(start("2026-11-16T09:30:00Z"), now);
    EXPECT_EQ(start("2026-11-16T10:30:00.000000001+01:00"), now + 1);
    EXPECT_EQ(start("1794821400"), now);
    EXPECT_EQ(start("1794821400000"), now);
    EXPECT_EQ(start("1794821400000000"), now);
    EXPECT_EQ(start("1794821400000000000"), now);
    EXPECT_EQ(start("-2h"), now - 7200 * second);
    EXPECT_THAT(why_not(verb::range, {{"from", "x"}, {"start", "yesterday"}}), HasSubstr("start: 'yesterday' is not a time"));
    EXPECT_THAT(why_not(verb::range, {{"from", "x"}, {"start", "1601-01-01T00:00:00Z"}}), HasSubstr("1677 to 2262"));
    EXPECT_THAT(why_not(verb::range, {{"from", "x"}, {"start", "-1m"}, {"end", "-2m"}}), HasSubstr("start is not before end"));
}

TEST(request, what_is_misspelled_is_refused_by_name) {
    EXPECT_THAT(why_not(verb::tail, {{"from", "x"}, {"wher", "a eq 1"}}), HasSubstr("no parameter 'wher'"));
    EXPECT_THAT(why_not(verb::tail, {{"from", "x"}, {"start", "-1m"}}), HasSubstr("no parameter 'start'"));
    EXPECT_THAT(why_not(verb::tail, {{"from", "x"}, {"from", "y"}}), HasSubstr("from is there twice"));
    EXPECT_THAT(why_not(verb::tail, {{"from", "x"}, {"n", "0"}}), HasSubstr("1 to 100000"));
    EXPECT_THAT(why_not(verb::tail, {{"from", "x"}, {"n", "100001"}}), HasSubstr("1 to 100000"));
    EXPECT_THAT(why_not(verb::range, {{"from", "x"}, {"limit", "5x"}}), HasSubstr("limit"));
    EXPECT_THAT(why_not(verb::range, {{"from", "x"}, {"order", "up"}}), HasSubstr("order: 'up'"));
    EXPECT_THAT(why_not(verb::tail, {{"from", "x"}, {"follow", "yes"}}), HasSubstr("follow"));
    EXPECT_THAT(why_not(verb::tail, {{"from", "x"}, {"where", "a eq"}}), HasSubstr("where: "));
    EXPECT_THAT(why_not(verb::tail, {{"from", "x"}, {"select", "a,,b"}}), HasSubstr("select: "));
    EXPECT_THAT(why_not(verb::range, {{"from", "x"}, {"cursor", "abc"}}), HasSubstr("cursor: "));
}

TEST(request, bytes_that_are_not_utf8_are_refused_wherever_they_are) {
    for (const std::string_view name : {"from", "select", "where", "partition", "agg", "by", "start", "cursor"}) {
        std::vector<parameter> list{{name, "a\xff"}};
        if (name != "from") {
            list.push_back({"from", "x"});
        }
        EXPECT_THAT(why_not(verb::range, list), HasSubstr(std::string(name) + " is not UTF-8"));
    }
    EXPECT_THAT(why_not(verb::tail, {{"from", "x"}, {"\xff", ""}}), HasSubstr("is not UTF-8"));
    EXPECT_TRUE(parse(verb::tail, {{"from", "größe"}, {"select", "größe,温度"}}));
}

TEST(request, aggregates_have_labels_buckets_and_groups) {
    const auto asked =
        parse(verb::range,
              {{"from", "x"}, {"agg", "max(usage_user), count(*),p99(\"a b\")"}, {"every", "5m"}, {"by", "host,tag.dc"}})
            .value();
    ASSERT_TRUE(asked.aggregates);
    const auto& a = *asked.aggregates;
    EXPECT_THAT(a.calls, ElementsAre(aggregate_call{aggregate_kind::max, "usage_user", "max(usage_user)"},
                                     aggregate_call{aggregate_kind::count, "", "count(*)"},
                                     aggregate_call{aggregate_kind::p99, "a b", "p99(\"a b\")"}));
    EXPECT_EQ(a.every_ns, 300 * second);
    EXPECT_THAT(a.by_tags, ElementsAre("host", "dc"));
}

TEST(request, what_aggregates_cannot_be_is_told) {
    const auto with = [](std::string_view agg) { return why_not(verb::range, {{"from", "x"}, {"agg", agg}}); };
    EXPECT_THAT(with(""), HasSubstr("agg: "));
    EXPECT_THAT(with("median(x)"), HasSubstr("'median' is none of"));
    EXPECT_THAT(with("max x"), HasSubstr("parentheses"));
    EXPECT_THAT(with("max(*)"), HasSubstr("only count takes *"));
    EXPECT_THAT(with("max(tag.host)"), HasSubstr("by its plain name"));
    EXPECT_THAT(with("count(time)"), HasSubstr("count(*)"));
    EXPECT_THAT(with("max(a),max(a)"), HasSubstr("twice"));
    EXPECT_THAT(with("max(a"), HasSubstr("closing parenthesis"));
    EXPECT_THAT(with("max(a) min(b)"), HasSubstr("comma"));
    EXPECT_THAT(with("rate(a)"), HasSubstr("a rate needs every"));
    EXPECT_THAT(why_not(verb::range, {{"from", "x"}, {"every", "1m"}}), HasSubstr("go with agg"));
    EXPECT_THAT(why_not(verb::range, {{"from", "x"}, {"agg", "max(a)"}, {"every", "0s"}}), HasSubstr("every: '0s'"));
    EXPECT_THAT(why_not(verb::range, {{"from", "x"}, {"agg", "max(a)"}, {"by", "field.a"}}), HasSubstr("not by fields"));
    EXPECT_THAT(why_not(verb::range, {{"from", "x"}, {"agg", "max(a)"}, {"select", "a"}}),
                HasSubstr("select does not go with agg"));
}

TEST(request, buckets_are_aligned_to_1970_also_before_it) {
    aggregation a{{}, 60 * second, {}};
    EXPECT_EQ(a.bucket_of(now + 59 * second), now);
    EXPECT_EQ(a.bucket_of(-1), -60 * second);
    EXPECT_EQ(a.bucket_of(-60 * second), -60 * second);
    EXPECT_EQ(a.bucket_of(INT64_MIN), INT64_MIN);
}

TEST(request, a_cursor_comes_back_and_keeps_the_times_of_the_first_page) {
    const std::vector<parameter> list{{"from", "x"}, {"start", "-1h"}};
    const auto first = parse(verb::range, list).value();
    const position last{now - 5, {origin_kind::family, "x"}, 7, "host=a", "123"};
    const auto text = encode_cursor({first.fingerprint, first.range, last, first.now_ns});
    auto with_cursor = list;
    with_cursor.push_back({"cursor", text});
    const auto later = parse_request(verb::range, with_cursor, now + 1000 * second).value();
    EXPECT_EQ(later.range, first.range);
    EXPECT_EQ(later.after, last);
}

TEST(request, relative_times_of_a_filter_are_those_of_the_first_page_too) {
    std::vector<parameter> list{{"from", "x"}, {"where", "time ge -1h"}};
    const auto first = parse(verb::range, list).value();
    const auto text =
        encode_cursor({first.fingerprint, first.range, {now, {origin_kind::family, "x"}, 7, "p", "r"}, first.now_ns});
    list.push_back({"cursor", text});
    const auto later = parse_request(verb::range, list, now + 1000 * second).value();
    EXPECT_EQ(later.where, first.where);
    EXPECT_EQ(later.now_ns, now) << "and the page behind it goes on with the same";
}

TEST(request, a_range_that_was_not_empty_on_the_first_page_is_not_so_later) {
    std::vector<parameter> list{{"from", "x"}, {"start", "-1m"}, {"end", "2026-11-16T09:30:00Z"}};
    const auto first = parse(verb::range, list).value();
    const position last{now - 5, {origin_kind::family, "x"}, 7, "p", "r"};
    const auto with_now = encode_cursor({first.fingerprint, first.range, last, first.now_ns});
    const auto without_now = encode_cursor({first.fingerprint, first.range, last, {}});
    list.push_back({"cursor", ""});
    EXPECT_FALSE(parse_request(verb::range, list, now + 3600 * second)) << "without a cursor it is empty by now";
    for (const auto& text : {with_now, without_now}) {
        list.back().value = text;
        const auto later = parse_request(verb::range, list, now + 3600 * second);
        ASSERT_TRUE(later) << later.error().detail;
        EXPECT_EQ(later->range, first.range);
        EXPECT_EQ(later->after, last);
    }
}

// What an earlier server gave out goes on to work.
TEST(request, a_cursor_without_the_time_of_the_first_page_is_read) {
    constexpr std::string_view text =
        "01f5cc793b01000000000000000200000000000000030000000000000004000000000000000301730501700172";
    EXPECT_EQ(decode_cursor(text).value(), (cursor{1, {2, 3}, {4, {origin_kind::source, "s"}, 5, "p", "r"}, {}}));
}

TEST(request, a_damaged_cursor_is_no_cursor) {
    const auto text = encode_cursor({1, {2, 3}, {4, {origin_kind::source, "s"}, 5, "p", "r"}, 6});
    EXPECT_EQ(decode_cursor(text).value(), (cursor{1, {2, 3}, {4, {origin_kind::source, "s"}, 5, "p", "r"}, 6}));
    for (size_t i = 0; i < text.size(); ++i) {
        auto damaged = text;
        damaged[i] = damaged[i] == '0' ? '1' : '0';
        EXPECT_FALSE(decode_cursor(damaged)) << i;
        EXPECT_FALSE(decode_cursor(text.substr(0, i))) << i;
    }
}

TEST(name_list, names_are_printed_as_they_are_read) {
    for (const auto* text : {"a", "tag.a", "field.\"x y\"", "\"a\"\"b\"", "\"7\""}) {
        const auto names = parse_names("select", text);
        ASSERT_TRUE(names) << text;
        EXPECT_EQ(to_text(names->front()), text);
    }
}

TEST(time_text, writes_what_it_reads) {
    for (const auto* text :
         {"2026-11-16T09:30:00Z", "2026-11-16T09:30:00.5Z", "1969-12-31T23:59:59.999999999Z", "1970-01-01T00:00:00Z",
          "2026-01-01T00:00:00.00000001Z", "1678-01-01T00:00:00.000000001Z", "2262-01-01T23:47:16.854775806Z"}) {
        EXPECT_EQ(time_text(parse_time_ns(text, 0).value()), text);
    }
}

TEST(time_text, a_length_of_time_is_a_number_and_a_unit) {
    EXPECT_EQ(parse_duration_ns("30s"), 30 * second);
    EXPECT_EQ(parse_duration_ns("1w"), 7 * 86'400 * second);
    for (const auto* wrong : {"", "s", "0s", "-5s", "5", "5 s", "1.5m", "9999999999w"}) {
        EXPECT_FALSE(parse_duration_ns(wrong)) << wrong;
    }
}

// The digits of an offset are none of the fraction before it.
TEST(time_text, an_offset_behind_a_short_fraction_is_no_nanoseconds) {
    const auto at = parse_time_ns("2026-11-16T04:00:00.123Z", 0);
    EXPECT_EQ(parse_time_ns("2026-11-16T09:30:00.123+05:30", 0), at);
    EXPECT_EQ(parse_time_ns("2026-11-16T09:30:00.1230+0530", 0), at);
    EXPECT_EQ(parse_time_ns("2026-11-16T09:30:00.123000045+05:30", 0), *at + 45);
    EXPECT_EQ(parse_time_ns("2026-11-16T09:30:00.12300004+05:30", 0), *at + 40);
}

// As a time it would be one in 1969, and so all that there is.
TEST(time_text, a_span_without_its_unit_is_no_time) {
    EXPECT_FALSE(parse_time_ns("-15", 0));
    EXPECT_FALSE(parse_time_ns("-1794821400", 0));
    EXPECT_EQ(parse_time_ns("-15s", 20'000'000'000), 5'000'000'000);
    EXPECT_EQ(parse_time_ns("15", 0), 15'000'000'000);
}

} // namespace
