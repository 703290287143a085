#include <gtest/gtest.h>

#include "blobs/core/record_code.hh"
#include "tests/unit/blobs/sample_blob.hh"

namespace blobs {
namespace {

using test::owned_record;

void expect_records_come_back(const std::vector<owned_record>& records) {
    const auto file = test::make_blob(records);
    const auto blob = test::open_blob(file);
    ASSERT_TRUE(blob) << to_string(blob.error());
    EXPECT_EQ(blob->footer().records_count(), records.size());
    block_reader reader;
    record_scratch scratch;
    std::vector<base::property> fields;
    std::string raw;
    size_t next = 0;
    for (size_t b = 0; b < blob->blocks().size(); ++b) {
        const auto& entry = blob->blocks()[b];
        EXPECT_EQ(entry.raw_offset, raw.size());
        ASSERT_TRUE(blob->open_block(b, test::bytes_of(file, entry.extent), reader));
        ASSERT_TRUE(reader.read_raw(raw));
        for (size_t i = 0; i < reader.size(); ++i, ++next) {
            const auto back = reader.read(i, scratch);
            ASSERT_TRUE(back);
            ASSERT_TRUE(same_content(*back, records[next].view(fields))) << next << ": " << records[next].text;
        }
    }
    EXPECT_EQ(next, records.size());
    EXPECT_EQ(raw, test::raw_text(records));
    EXPECT_EQ(blob->footer().raw_bytes(), raw.size());
}

TEST(blob, a_single_empty_record_comes_back) {
    expect_records_come_back({owned_record{}});
}

TEST(blob, records_of_all_kinds_come_back) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        expect_records_come_back(test::record_source(seed).records(500, 50));
    }
}

TEST(blob, many_blocks_come_back) {
    expect_records_come_back(test::record_source(5).records(20'000, 5));
}

TEST(blob, the_newest_records_of_a_large_one_are_a_small_block) {
    const auto records = test::record_source(5).records(20'000, 0);
    const auto file = test::make_blob(records);
    const auto blob = test::open_blob(file);
    ASSERT_TRUE(blob);
    ASSERT_GE(blob->footer().raw_bytes(), tail_from_raw_bytes);
    EXPECT_LE(blob->blocks().back().facts.raw_bytes, 2 * tail_raw_bytes);
    EXPECT_GT(blob->blocks().back().facts.records_count, 50u);
}

TEST(blob, extreme_times_lanes_and_sequences_come_back) {
    std::vector<owned_record> records(4);
    records[0].order = {INT64_MIN, 0, 0};
    records[1].order = {-1, UINT32_MAX, UINT64_MAX};
    records[2].order = {0, 0, 5};
    records[3].order = {INT64_MAX, 1, 1};
    expect_records_come_back(records);
}

TEST(blob, texts_of_the_greatest_size_come_back) {
    test::record_source source(9);
    std::vector<owned_record> records = source.records(3, 0);
    records[0].text = std::string(text_bytes_max, 'x');
    records[1].text.clear();
    for (size_t i = 0; i < text_bytes_max; ++i) {
        records[1].text.push_back(static_cast<char>(source.below(256)));
    }
    for (auto& r : records) {
        r.message_begin = 0;
        r.message_size = r.text.size();
    }
    expect_records_come_back(records);
}

TEST(blob, as_many_fields_as_there_may_be_come_back) {
    owned_record r;
    r.text = "{}";
    for (size_t i = 0; i < fields_max; ++i) {
        r.fields.push_back({.name = "n" + std::to_string(i), .bytes = std::string(i, 'v')});
    }
    std::vector<base::property> scratch;
    ASSERT_TRUE(is_within_limits(r.view(scratch)));
    expect_records_come_back({r});
    r.fields.push_back({.name = "more"});
    EXPECT_FALSE(is_within_limits(r.view(scratch)));
}

TEST(blob, raw_offsets_lead_to_their_block) {
    const auto records = test::record_source(5).records(20'000, 0);
    const auto file = test::make_blob(records);
    const auto blob = test::open_blob(file);
    ASSERT_TRUE(blob);
    ASSERT_GT(blob->blocks().size(), 1u);
    EXPECT_EQ(blob->block_at(0), 0u);
    EXPECT_EQ(blob->block_at(blob->blocks()[1].raw_offset - 1), 0u);
    EXPECT_EQ(blob->block_at(blob->blocks()[1].raw_offset), 1u);
    EXPECT_EQ(blob->block_at(blob->footer().raw_bytes() - 1), blob->blocks().size() - 1);
    EXPECT_EQ(blob->block_at(blob->footer().raw_bytes()), std::nullopt);
}

TEST(blob, repetitive_text_shrinks_below_plain_zstd_and_filters_stay_small) {
    const auto records = test::record_source(6).records(30'000, 0);
    const auto raw = test::raw_text(records);
    std::string plain;
    ASSERT_TRUE(zstd_compressor(zstd_level_seal).compress(raw, plain));
    const auto file = test::make_blob(records);
    const auto blob = test::open_blob(file);
    ASSERT_TRUE(blob);
    uint64_t filter_bytes = 0;
    for (const auto& slice : blob->footer().slices) {
        filter_bytes += slice.size;
    }
    EXPECT_LE(filter_bytes * 10, file.size());
    EXPECT_LT(file.size() - filter_bytes, plain.size()) << "with times, levels and hosts";
}

} // namespace
} // namespace blobs
