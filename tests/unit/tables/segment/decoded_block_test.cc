// Blocks as readers have them, against the rows that went in.

#include <gtest/gtest.h>

#include "tables/core/segment/decoded_block.hh"
#include "tests/unit/tables/segment/sample_segment.hh"

namespace {

using namespace tables;

TEST(decoded_block, rows_and_lower_bounds_are_those_of_the_model) {
    codec::zstd_decompressor zstd;
    for (uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        const auto rows = samples::random_rows(seed);
        const auto file = samples::build(rows, samples::random_options(seed));
        const auto segment = samples::open(file);
        auto expected = rows.begin();
        for (size_t b = 0; b < segment.blocks_count(); ++b) {
            const auto block = decoded_block::decode(segment, b, samples::bytes_of(file, segment.block(b).extent), zstd);
            ASSERT_TRUE(block) << base::to_string(block.error());
            for (size_t i = 0; i < (*block)->size(); ++i, ++expected) {
                const auto row = (**block)[i];
                ASSERT_EQ(samples::key(row.partition_key, row.row_key), expected->first);
                ASSERT_TRUE(samples::stored(row) == expected->second);
                EXPECT_EQ((*block)->lower_bound(row.partition_key, row.row_key), i);
                EXPECT_EQ((*block)->lower_bound(row.partition_key, std::string(row.row_key) + '\0'), i + 1);
                const auto end = (*block)->partition_end(i);
                EXPECT_TRUE(end > i && (*block)->partition_key(end - 1) == row.partition_key);
                EXPECT_TRUE(end == (*block)->size() || (*block)->partition_key(end) != row.partition_key);
            }
        }
        EXPECT_EQ(expected, rows.end());
    }
}

} // namespace
