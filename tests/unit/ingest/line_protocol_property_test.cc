// The fast parser against the obvious one, on many random inputs, and on inputs cut anywhere.
#include <gtest/gtest.h>

#include "ingest/core/line_protocol.hh"
#include "tests/unit/ingest/line_protocol_reference.hh"
#include "tests/unit/ingest/line_trace.hh"
#include "tests/unit/ingest/random_lines.hh"

namespace {

using ingest::line_protocol_parser;

constexpr auto describe = [](line_protocol_parser& parser, ingest::line_step) { return ingest_test::point_text(parser.point()); };
constexpr int inputs_count = 30'000; // of 3.5 lines each
constexpr int cut_inputs_count = 5'000;

class line_protocol_laws : public testing::Test {
protected:
    uint64_t seed = std::random_device()();
    std::mt19937_64 random{seed};

    std::string input() {
        std::string text;
        for (size_t lines = random() % 8; lines > 0; --lines) {
            text += ingest_test::random_line(random) + (random() % 8 == 0 ? "\r\n" : "\n");
        }
        if (random() % 4 == 0) {
            ingest_test::damage(text, random);
        }
        return text;
    }

    static std::vector<std::string> read(const std::string& input) {
        ingest::point_builder point;
        line_protocol_parser parser(point);
        ingest_test::line_trace trace(parser, describe);
        trace.feed(input, ingest::input_end::yes);
        return trace.said;
    }
};

TEST_F(line_protocol_laws, it_says_what_the_reference_says) {
    size_t points = 0;
    size_t faults = 0;
    for (int i = 0; i < inputs_count; ++i) {
        const auto text = input();
        const auto said = read(text);
        ASSERT_EQ(said, ingest_test::line_protocol_reference(1).read(text)) << "seed " << seed << "\n" << text;
        for (const auto& s : said) {
            (s.starts_with("line ") ? faults : points) += 1;
        }
    }
    // The inputs must have something to say on both sides.
    EXPECT_GT(points, 50'000u) << "seed " << seed;
    EXPECT_GT(faults, 5'000u) << "seed " << seed;
}

TEST_F(line_protocol_laws, it_says_the_same_however_the_input_is_cut) {
    for (int i = 0; i < cut_inputs_count; ++i) {
        const auto text = input();
        ingest::point_builder point;
        line_protocol_parser parser(point);
        ingest_test::line_trace trace(parser, describe);
        feed_in_pieces(trace, text, random);
        ASSERT_EQ(trace.said, read(text)) << "seed " << seed << "\n" << text;
        ASSERT_EQ(trace.kept(), trace.kept().substr(0, ingest::line_bytes_max));
    }
}

} // namespace
