#include <gtest/gtest.h>

#include "blobs/core/mark_filter.hh"
#include "tests/unit/blobs/sample_records.hh"

namespace blobs {
namespace {

TEST(text_marks, every_mark_of_a_needle_is_a_mark_of_the_text_around_it) {
    const uint64_t seed = 31;
    test::record_source source(seed);
    for (int round = 0; round < 20'000; ++round) {
        const auto text = (source.below(3) == 0 ? source.nasty() : source.line()).text;
        if (text.empty()) {
            continue;
        }
        const auto scope = round % 2 == 0 ? filter_scope::messages : filter_scope::texts;
        std::vector<mark> all;
        add_marks(text, text_edges::closed, scope, all);
        const size_t begin = source.below(text.size());
        const auto needle = text.substr(begin, source.below(text.size() - begin + 1));
        std::vector<mark> marks;
        add_marks(needle, text_edges::open, scope, marks);
        for (const mark m : marks) {
            ASSERT_TRUE(std::ranges::contains(all, m))
                << "seed " << seed << " round " << round << ": " << needle << " in " << text;
        }
    }
}

TEST(text_marks, words_and_parts_of_ids_can_be_looked_up) {
    const auto count = [](std::string_view needle) {
        std::vector<mark> marks;
        add_marks(needle, text_edges::open, filter_scope::messages, marks);
        return marks.size();
    };
    EXPECT_GE(count("webmaster"), 6u);
    EXPECT_GE(count("port 38926 ssh2"), 2u);
    EXPECT_GE(count("7128370237687728475"), 3u);
    EXPECT_GE(count("238692151"), 1u) << "of a number that may be longer";
    EXPECT_GE(count("c0ffee123"), 1u);
    EXPECT_GE(count("173.234.31.186"), 1u);
    EXPECT_GE(count("38101a0b-2096-447d-96ea-a692162415ae"), 3u);
    EXPECT_EQ(count("389"), 0u) << "may be part of any longer word";
}

std::vector<mark> random_marks(std::mt19937_64& random, size_t count) {
    mark_collector collector;
    for (size_t i = 0; i < count; ++i) {
        collector.add(static_cast<mark>(random()));
    }
    return collector.sorted();
}

TEST(mark_filter, has_every_mark_it_was_made_from) {
    std::mt19937_64 random(41);
    for (const unsigned slices_bits : {0u, slices_bits_max}) {
        for (const size_t count : {0u, 1u, 2u, 100u, 5'000u}) {
            const auto marks = random_marks(random, count);
            for (const size_t bytes_max : {size_t{0}, count / 4, count / 2, 2 * count + 64}) {
                const auto filter = code_filter(marks, bytes_max, slices_bits);
                for (const mark m : marks) {
                    ASSERT_TRUE(may_have(filter.shape, slices_bits, filter.slices[slice_of(m, slices_bits)], m));
                }
            }
        }
    }
}

TEST(mark_filter, is_seldom_wrong_and_keeps_to_its_size) {
    std::mt19937_64 random(42);
    const auto marks = random_marks(random, 10'000);
    const auto filter = code_filter(marks, 20'000, slices_bits_max);
    EXPECT_EQ(filter.shape.rice_bits, rice_bits_max);
    EXPECT_LT(filter.bytes(), 10'000u * 10 / 8);
    size_t wrong = 0;
    for (int i = 0; i < 20'000; ++i) {
        const auto m = static_cast<mark>(random());
        wrong += may_have(filter.shape, slices_bits_max, filter.slices[slice_of(m, slices_bits_max)], m) ? 1 : 0;
    }
    EXPECT_LT(wrong, 20'000u / 150);
    EXPECT_LT(code_filter(marks, 1'000, slices_bits_max).bytes(), 1'200u);
}

TEST(mark_collector, gives_each_mark_once_in_order) {
    mark_collector collector;
    for (const mark m : {9u, 0u, 7u, 0xffffffffu, 9u, 0u}) {
        collector.add(m);
    }
    EXPECT_EQ(collector.sorted(), (std::vector<mark>{0, 7, 9, 0xffffffff}));
}

} // namespace
} // namespace blobs
