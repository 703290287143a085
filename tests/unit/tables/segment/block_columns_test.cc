// Columns of a block, decoded by range into buffers as Arrow has them.

#include <gtest/gtest.h>

#include <bit>

#include "tests/unit/tables/segment/sample_segment.hh"

namespace {

using namespace tables;

// The value a row has in a column, if any.
const samples::stored_property* find(const samples::stored_row& row, const column& c) {
    for (const auto& p : row.properties) {
        if (p.name == c.name && p.type == c.type) {
            return &p;
        }
    }
    return nullptr;
}

struct decoded {
    std::vector<uint8_t> validity;
    std::vector<int64_t> ints;
    std::vector<double> reals;
    std::vector<uint8_t> booleans;
    codec::texts texts;
    size_t nulls = 0;

    decoded(const block_view& block, const block_view::column_chunk& column, row_range range, codec::zstd_decompressor& zstd)
        : validity(codec::bitmap::bytes_for(range.size()), 0xaa), ints(range.size()), reals(range.size()),
          booleans(validity.size()) {
        switch (column.type) {
        case value_type::real: nulls = block.decode_reals(column, range, reals, validity).value(); break;
        case value_type::boolean: nulls = block.decode_booleans(column, range, booleans, validity).value(); break;
        case value_type::int32:
        case value_type::int64:
        case value_type::datetime: nulls = block.decode_ints(column, range, ints, validity).value(); break;
        default: nulls = block.decode_texts(column, range, zstd, texts, validity).value();
        }
    }

    static bool bit(const std::vector<uint8_t>& bits, size_t i) { return (bits[i / 8] >> (i % 8) & 1) != 0; }
};

void expect_value(const decoded& d, size_t i, value_type type, const samples::stored_property* expected) {
    const uint64_t bits = expected != nullptr ? expected->bits : 0;
    switch (type) {
    case value_type::real: EXPECT_EQ(std::bit_cast<uint64_t>(d.reals[i]), bits); break;
    case value_type::boolean: EXPECT_EQ(decoded::bit(d.booleans, i), bits != 0); break;
    case value_type::int32:
    case value_type::int64:
    case value_type::datetime: EXPECT_EQ(static_cast<uint64_t>(d.ints[i]), bits); break;
    case value_type::guid: EXPECT_EQ(d.texts[i], expected != nullptr ? expected->bytes : std::string(16, '\0')); break;
    default: EXPECT_EQ(d.texts[i], expected != nullptr ? expected->bytes : "");
    }
}

TEST(block_columns, any_range_of_any_column_comes_back_with_its_nulls) {
    codec::zstd_decompressor zstd;
    for (uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        const auto rows = samples::random_rows(seed);
        const auto file = samples::build(rows, samples::random_options(seed));
        const auto segment = samples::open(file);
        samples::generator random(seed);
        const size_t b = random() % segment.blocks_count();
        const auto block = segment.open_block(b, samples::bytes_of(file, segment.block(b).extent)).value();
        const auto expected = samples::rows_of(segment, file, b).value();
        for (const auto& column : block.columns()) {
            EXPECT_EQ(block.find(column.id), &column);
            row_range range{random() % expected.size(), 0};
            range.end = range.begin + random() % (expected.size() - range.begin + 1);
            const decoded d(block, column, range, zstd);
            size_t nulls = 0;
            for (size_t i = 0; i < range.size(); ++i) {
                const auto* value = find(expected[range.begin + i].second, segment.schema()[column.id]);
                nulls += value == nullptr;
                ASSERT_EQ(decoded::bit(d.validity, i), value != nullptr);
                expect_value(d, i, column.type, value);
            }
            for (size_t i = range.size(); i < d.validity.size() * 8; ++i) {
                EXPECT_FALSE(decoded::bit(d.validity, i)) << "bits behind the last row are 0";
            }
            EXPECT_EQ(d.nulls, nulls);
        }
    }
}

TEST(block_columns, keys_times_timestamps_and_kinds_come_back_by_range) {
    codec::zstd_decompressor zstd;
    for (uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        const auto file = samples::build(samples::random_rows(seed), samples::random_options(seed));
        const auto segment = samples::open(file);
        samples::generator random(seed);
        const size_t b = random() % segment.blocks_count();
        const auto block = segment.open_block(b, samples::bytes_of(file, segment.block(b).extent)).value();
        const auto expected = samples::rows_of(segment, file, b).value();
        row_range range{random() % expected.size(), 0};
        range.end = range.begin + random() % (expected.size() - range.begin + 1);

        partition_runs runs;
        codec::texts row_keys;
        std::vector<int64_t> ticks(range.size());
        std::vector<int64_t> timestamps(range.size());
        std::vector<row_kind> kinds(range.size());
        ASSERT_TRUE(block.keys().decode_runs(zstd, runs));
        ASSERT_TRUE(block.keys().decode_row_keys(range.begin, range.end, zstd, row_keys));
        ASSERT_TRUE(block.keys().decode_ticks(range.begin, ticks));
        ASSERT_TRUE(block.decode_timestamps(range.begin, timestamps));
        ASSERT_TRUE(block.decode_kinds(range.begin, kinds));
        for (size_t i = 0; i < range.size(); ++i) {
            const auto& [key, row] = expected[range.begin + i];
            EXPECT_EQ(runs.keys[runs.find(range.begin + i)], key.first);
            EXPECT_EQ(row_keys[i], key.second);
            const auto tick = split_row_key(key.second).tick;
            EXPECT_EQ(ticks[i], tick ? tick->value : no_tick);
            EXPECT_EQ(timestamps[i], row.timestamp.value);
            EXPECT_EQ(kinds[i], row.kind);
        }
    }
}

TEST(block_columns, the_schema_has_one_column_for_each_name_and_type) {
    samples::model rows;
    rows[{"p", "1"}].properties = {{"x", value_type::int64, 5}};
    rows[{"p", "2"}].properties = {{"x", value_type::string, 0, "five"}};
    rows[{"p", "3"}].properties = {{"x", value_type::int64, 6}, {"y", value_type::boolean, 1}};
    const auto segment = samples::open(samples::build(rows, {}));
    EXPECT_EQ(segment.schema().size(), 3u);
    EXPECT_TRUE(segment.schema().find("x", value_type::int64));
    EXPECT_TRUE(segment.schema().find("x", value_type::string));
    EXPECT_TRUE(segment.schema().find("y", value_type::boolean));
    EXPECT_FALSE(segment.schema().find("y", value_type::int64));
}

} // namespace
