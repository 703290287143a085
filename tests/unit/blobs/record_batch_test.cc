#include "blobs/core/record_batch.hh"

#include <gtest/gtest.h>

#include "tests/unit/blobs/sample_records.hh"

namespace blobs {
namespace {

std::string made_batch(const std::vector<test::owned_record>& records) {
    record_batch_builder builder;
    std::vector<base::property> fields;
    for (size_t i = 0; i < records.size(); ++i) {
        if (i % 100 == 0) {
            builder.begin_group(i % 200 == 0 ? "web" : "", 3, i + 1);
        }
        builder.add(records[i].view(fields));
    }
    zstd_compressor zstd(zstd_level_log);
    std::string out;
    builder.finish(zstd, out);
    EXPECT_TRUE(builder.is_empty());
    return out;
}

TEST(record_batch, records_and_sources_come_back) {
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(seed);
        const auto records = test::record_source(seed).records(350, 40);
        const auto batch = made_batch(records);
        zstd_decompressor zstd;
        std::string scratch;
        std::vector<base::property> fields;
        size_t next = 0;
        ASSERT_TRUE(read_batch(batch, zstd, scratch, [&](std::string_view source, const record& r, std::string_view) {
            EXPECT_EQ(source, next / 100 % 2 == 0 ? "web" : "");
            EXPECT_TRUE(same_content(r, records[next].view(fields))) << next;
            ++next;
        }));
        EXPECT_EQ(next, records.size());
    }
}

TEST(record_batch, sources_that_take_turns_are_one_group_each) {
    const auto records = test::record_source(3).records(90, 0);
    record_batch_builder builder;
    std::vector<base::property> fields;
    const std::string names[] = {"web", "shop", "store"};
    for (size_t i = 0; i < records.size(); ++i) {
        builder.begin_group(names[i % 3], 1, 10 + i / 3);
        builder.add(records[i].view(fields));
    }
    zstd_compressor zstd(zstd_level_log);
    std::string batch;
    const auto body = builder.finish(zstd, batch);
    std::vector<std::string> sources;
    size_t at = 0;
    visit_body(body, [&](std::string_view source, const record& r, std::string_view) {
        if (sources.empty() || sources.back() != source) {
            sources.emplace_back(source);
            at = 0;
        }
        EXPECT_EQ(r.order.sequence, 10 + at);
        EXPECT_EQ(r.text, records[3 * at + sources.size() - 1].text);
        ++at;
    });
    EXPECT_EQ(sources, std::vector<std::string>(std::begin(names), std::end(names)));
}

TEST(record_batch, a_sequence_that_does_not_go_on_begins_a_group) {
    const auto records = test::record_source(3).records(4, 0);
    const std::pair<uint32_t, uint64_t> orders[] = {{1, 5}, {1, 7}, {2, 8}, {2, 9}};
    record_batch_builder builder;
    std::vector<base::property> fields;
    for (size_t i = 0; i < records.size(); ++i) {
        builder.begin_group("web", orders[i].first, orders[i].second);
        builder.add(records[i].view(fields));
    }
    zstd_compressor zstd(zstd_level_log);
    std::string batch;
    const auto body = builder.finish(zstd, batch);
    size_t at = 0;
    visit_body(body, [&](std::string_view, const record& r, std::string_view) {
        EXPECT_EQ(r.order.lane, orders[at].first);
        EXPECT_EQ(r.order.sequence, orders[at].second);
        ++at;
    });
    EXPECT_EQ(at, records.size());
}

TEST(record_batch, lines_are_written_in_less_than_half_of_their_bytes) {
    const auto records = test::record_source(4).records(500, 0);
    EXPECT_LT(made_batch(records).size() * 2, test::raw_text(records).size());
}

TEST(record_batch, an_empty_batch_has_no_records) {
    zstd_decompressor zstd;
    std::string scratch;
    EXPECT_TRUE(read_batch(made_batch({}), zstd, scratch, [](std::string_view, const record&, std::string_view) { FAIL(); }));
}

TEST(record_batch, a_cut_batch_gives_nothing_at_all) {
    const auto batch = made_batch(test::record_source(5).records(20, 40));
    zstd_decompressor zstd;
    std::string scratch;
    for (size_t size = 0; size < batch.size(); ++size) {
        EXPECT_FALSE(read_batch(std::string_view(batch).substr(0, size), zstd, scratch,
                                [](std::string_view, const record&, std::string_view) { FAIL(); }))
            << size;
    }
}

TEST(record_batch, one_of_a_later_version_is_told_apart) {
    auto batch = made_batch(test::record_source(5).records(2, 0));
    batch[0] = 2;
    zstd_decompressor zstd;
    std::string scratch;
    const auto refused = read_batch(batch, zstd, scratch, nullptr);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::errc::newer_format);
}

} // namespace
} // namespace blobs
