#include "ingest/core/syslog_framing.hh"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::literals;
using ingest::input_end;
using ingest::syslog_message_bytes_max;
using ::testing::ElementsAre;

class stream {
public:
    std::vector<std::string> messages;

    void feed(std::string_view piece, input_end end) {
        _kept += piece;
        const std::vector<char> exact(_kept.begin(), _kept.end());
        std::string_view rest(exact.data(), exact.size());
        while (const auto m = _splitter.next(rest, end)) {
            messages.push_back(std::string(m->bytes) + (m->is_cut ? "..." : ""));
        }
        _kept = std::string(rest);
    }

    size_t kept() const { return _kept.size(); }

private:
    ingest::syslog_splitter _splitter;
    std::string _kept;
};

std::vector<std::string> split(std::string_view input) {
    stream s;
    s.feed(input, input_end::yes);
    return s.messages;
}

TEST(syslog_framing, lines_end_with_line_feeds) {
    EXPECT_THAT(split("<1>a\n<2>b\r\n\n<3>c"), ElementsAre("<1>a", "<2>b", "<3>c"));
}

TEST(syslog_framing, counted_messages_may_hold_anything) {
    EXPECT_THAT(split("6 <1>a\nb5 <2>\n\n4 <3>x"), ElementsAre("<1>a\nb", "<2>\n\n", "<3>x"));
}

TEST(syslog_framing, counted_messages_and_lines_may_be_mixed) {
    EXPECT_THAT(split("4 <1>a\n<2>b\n4 <3>c4 <4>d\n<5>e\n"), ElementsAre("<1>a", "<2>b", "<3>c", "<4>d", "<5>e"));
}

TEST(syslog_framing, a_line_may_begin_with_a_number) {
    EXPECT_THAT(split("12 monkeys\n4711\n0 <1>a\n7\n1234567890 <1>b\n5x<1>\n"),
                ElementsAre("12 monkeys", "4711", "0 <1>a", "7", "1234567890 <1>b", "5x<1>"));
}

TEST(syslog_framing, nuls_between_messages_are_skipped) {
    EXPECT_THAT(split("<1>a\n\0"s + "4 <2>b\0<3>c\n"s), ElementsAre("<1>a", "<2>b", "<3>c"));
}

TEST(syslog_framing, what_the_stream_ended_in_is_handed_out) {
    EXPECT_THAT(split("<1>a\n10 <2>b"), ElementsAre("<1>a", "<2>b..."));
    EXPECT_THAT(split("<1>a\n10"), ElementsAre("<1>a", "10"));
}

TEST(syslog_framing, a_message_over_the_limit_is_cut_and_the_next_one_found) {
    const std::string longest = "<1>" + std::string(syslog_message_bytes_max - 3, 'x');
    const auto counted = [](const std::string& m) { return std::to_string(m.size()) + " " + m; };
    EXPECT_THAT(split(longest + "\n<2>b\n"), ElementsAre(longest, "<2>b"));
    EXPECT_THAT(split(longest + "x\n<2>b\n"), ElementsAre(longest + "...", "<2>b"));
    EXPECT_THAT(split(counted(longest) + counted("<2>b")), ElementsAre(longest, "<2>b"));
    EXPECT_THAT(split(counted(longest + "\nx") + counted("<2>b")), ElementsAre(longest + "...", "<2>b"));
}

TEST(syslog_framing, no_stream_makes_it_keep_more_than_a_message) {
    for (std::string head : {"<1>", "999999999 <1>"}) {
        stream s;
        s.feed(head, input_end::no);
        const std::string piece(64 << 10, 'x');
        for (int i = 0; i < 40; ++i) {
            s.feed(piece, input_end::no);
            EXPECT_LE(s.kept(), syslog_message_bytes_max + ingest::syslog_count_digits_max + 1);
        }
        EXPECT_EQ(s.messages.size(), 1u) << head;
    }
}

TEST(syslog_framing, it_finds_the_same_however_the_stream_is_cut) {
    const uint64_t seed = std::random_device()();
    std::mt19937_64 random(seed);
    const std::string_view pieces[] = {"<1>", "a", "\n", "\r\n", "4 <1>", "12 <", "1", "9", " ", "0", "x", "7 ", "<34>text\n"};
    for (int i = 0; i < 20'000; ++i) {
        std::string input;
        for (size_t n = random() % 20; n > 0; --n) {
            input += pieces[random() % std::size(pieces)];
        }
        stream s;
        std::string_view rest = input;
        while (!rest.empty()) {
            const size_t size = std::min<size_t>(rest.size(), random() % 5 + 1);
            s.feed(rest.substr(0, size), input_end::no);
            rest.remove_prefix(size);
        }
        s.feed({}, input_end::yes);
        ASSERT_EQ(s.messages, split(input)) << "seed " << seed << "\n" << input;
    }
}

} // namespace
