// Files of every version that was ever written are read for ever. FORMAT.md
// explains the bytes of the example.

#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <iterator>

#include "tests/lib/source_folder.hh"
#include "tests/unit/tables/segment/sample_segment.hh"
#include "tests/unit/tables/segment/segment_dump.hh"

namespace {

using namespace tables;

std::string golden(const std::string& name) {
    std::ifstream in(testing_lib::source_folder() + "/tests/unit/tables/segment/golden/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(segment_golden, version_1_is_read) {
    const auto file = golden("segment_v1.bin");
    ASSERT_FALSE(file.empty());
    EXPECT_EQ(samples::dump(file), golden("segment_v1.txt"));
    const auto facts = samples::open(file).facts();
    EXPECT_EQ(facts.table.value, 8u);
    EXPECT_EQ(facts.partitions_count, 4u);
    EXPECT_EQ(facts.text_keys_count, 60u);
    EXPECT_EQ(facts.sequence_max.value, 20u);
}

// A walk, by a generator that is the same everywhere: its steps have codes.
std::string build_walk() {
    samples::model rows;
    const auto t = base::parse_time("2026-11-16T09:30:00Z").value();
    uint32_t state = 1;
    int64_t at = 50;
    for (int i = 0; i < 300; ++i) {
        state = state * 1'664'525 + 1'013'904'223;
        at += std::popcount(state >> 22) - 5;
        rows[{"host=a", base::inverted_text({t.value + i * base::ticks_per_second}) + "99"}] = {
            row_kind::put,
            {t.value + base::ticks_per_ms},
            {{"jobs", value_type::int64, static_cast<uint64_t>(at)},
             {"load", value_type::real, std::bit_cast<uint64_t>(static_cast<double>(at) / 100)}}};
    }
    return samples::build(rows, {.table = {9}, .seed = 6, .sequence_min = {1}, .sequence_max = {300}});
}

TEST(segment_golden, version_2_is_read_and_is_what_is_written) {
    const auto file = golden("segment_v2.bin");
    ASSERT_FALSE(file.empty());
    EXPECT_EQ(samples::dump(file), golden("segment_v2.txt"));
    EXPECT_EQ(build_walk(), file);
}

TEST(segment_golden, the_example_of_the_first_version_is_read) {
    const auto file = golden("segment_v1_example.bin");
    ASSERT_FALSE(file.empty());
    EXPECT_EQ(samples::dump(file), golden("segment_v1_example.txt"));
}

TEST(segment_golden, the_example_of_the_format_page_is_read) {
    const auto file = golden("segment_v2_example.bin");
    ASSERT_FALSE(file.empty());
    EXPECT_EQ(samples::dump(file), golden("segment_v2_example.txt"));
}

TEST(segment_golden, the_example_of_the_format_page_is_what_is_written) {
    const auto t = base::parse_time("2026-11-16T09:30:00Z").value();
    const auto row = [](base::tick timestamp, double load) {
        return samples::stored_row{row_kind::put,
                                   timestamp,
                                   {{"load", value_type::real, std::bit_cast<uint64_t>(load)}, {"up", value_type::boolean, 1}}};
    };
    const base::tick committed{t.value + 11 * base::ticks_per_second};
    samples::model rows;
    rows[{"host=a", base::inverted_text({t.value + 10 * base::ticks_per_second}) + "99"}] = row(committed, 0.5);
    rows[{"host=a", base::inverted_text(t) + "99"}] = row(committed, 0.25);
    EXPECT_EQ(samples::build(rows, {.table = {7}, .seed = 5, .sequence_min = {3}, .sequence_max = {4}}),
              golden("segment_v2_example.bin"));
}

} // namespace
