// The fast parser against the obvious one, on many random inputs, and on inputs cut anywhere.
#include <array>

#include <gtest/gtest.h>

#include "ingest/core/line_protocol.hh"
#include "ingest/core/series_cache.hh"
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

    // Lines whose names repeat, mostly in the same order: what is remembered of one line meets the next.
    std::string alike_input() {
        static constexpr std::string_view names[] = {
            "a",        "b",     "usage_user", "usage_system", "usage_guest_nice", "a_name_of_two_pieces_and_more",
            "\xc3\xa4", "a\\ b", "a\\"};
        std::string text;
        std::array<std::array<std::string_view, 4>, 2> lists;
        for (auto& list : lists) {
            for (auto& name : list) {
                name = ingest_test::pick(random, names);
            }
        }
        for (size_t lines = random() % 12; lines > 0; --lines) {
            const auto& list = lists[random() % 2];
            text += fmt::format("m{},host={},a\\ b=c\\ ", random() % 2, random() % 3);
            text += random() % 2 == 0 ? "d " : "e ";
            for (size_t i = 0; i <= random() % 5; ++i) {
                text += fmt::format("{}{}={}", i == 0 ? "" : ",", list[random() % 8 == 0 ? random() % 4 : i % 4],
                                    ingest_test::random_value(random));
            }
            text += random() % 4 == 0 ? "\n" : " 1793577600000000000\n";
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

TEST_F(line_protocol_laws, lines_like_those_before_are_read_as_if_alone) {
    for (int i = 0; i < inputs_count; ++i) {
        const auto text = alike_input();
        ASSERT_EQ(read(text), ingest_test::line_protocol_reference(1).read(text)) << "seed " << seed << "\n" << text;
    }
}

// What a parser says of each point but for its tags: its series, as a cache has it.
std::vector<std::string> read_series(const std::string& input, ingest::series_cache& cache, bool is_asked_first) {
    ingest::point_builder point;
    line_protocol_parser parser(point, ingest::time_precision::ns, is_asked_first ? &cache : nullptr);
    ingest_test::line_trace trace(parser, [&cache](line_protocol_parser& p, ingest::line_step) {
        auto view = p.point();
        const auto key = view.series != nullptr ? view.series : cache.series_of(view).value();
        std::string said(key->text);
        view.tags = {};
        return said + " " + ingest_test::point_text(view);
    });
    trace.feed(input, ingest::input_end::yes);
    return trace.said;
}

TEST_F(line_protocol_laws, tags_that_are_known_are_the_same_series) {
    ingest::series_cache known(8);
    ingest::series_cache other(8);
    for (int i = 0; i < inputs_count; ++i) {
        const auto text = alike_input();
        ASSERT_EQ(read_series(text, known, true), read_series(text, other, false)) << "seed " << seed << "\n" << text;
    }
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
