// The end of a segment file.

#include <gtest/gtest.h>

#include "tables/core/segment/segment_directory.hh"

namespace {

using namespace tables;

segment_directory sample() {
    return {.segments = {{base::table_id{7}, {0, 1000}}, {base::table_id{300}, {1000, 25}}, {base::table_id{9}, {2000, 1}}}};
}

TEST(segment_directory, it_comes_back_from_the_end_of_a_file) {
    std::string file(2001, 'x');
    sample().encode(file);
    for (const size_t more : {size_t{0}, size_t{10}, size_t{2001}}) {
        const auto end = std::string_view(file).substr(2001 - more);
        const auto found = segment_directory::parse(end, file.size());
        ASSERT_TRUE(found) << base::to_string(found.error());
        EXPECT_EQ(found->segments, sample().segments);
    }
}

TEST(segment_directory, every_flipped_bit_is_noticed) {
    std::string file(2001, 'x');
    sample().encode(file);
    for (size_t i = 2001; i < file.size(); ++i) {
        for (int bit = 0; bit < 8; ++bit) {
            auto damaged = file;
            damaged[i] = static_cast<char>(damaged[i] ^ 1 << bit);
            EXPECT_FALSE(segment_directory::parse(damaged, damaged.size())) << i;
        }
    }
}

TEST(segment_directory, segments_must_lie_before_it_and_not_in_each_other) {
    std::string file(100, 'x');
    segment_directory{.segments = {{base::table_id{1}, {0, 101}}}}.encode(file);
    EXPECT_FALSE(segment_directory::parse(file, file.size()));
    std::string list;
    segment_directory{.segments = {{base::table_id{1}, {0, 50}}, {base::table_id{2}, {49, 1}}}}.encode_list(list);
    EXPECT_FALSE(segment_directory::parse_list(list));
}

TEST(segment_directory, the_largest_one_fits_its_bound) {
    segment_directory largest;
    for (size_t i = 0; i < segment_directory::segments_max; ++i) {
        largest.segments.push_back({base::table_id{UINT64_MAX}, {(uint64_t{1} << 62) + i, 1}});
    }
    std::string bytes;
    largest.encode(bytes);
    EXPECT_LE(bytes.size(), segment_directory::bytes_max);
}

} // namespace
