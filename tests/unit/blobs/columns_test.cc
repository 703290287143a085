#include <algorithm>

#include <gtest/gtest.h>

#include "blobs/core/number_column.hh"
#include "blobs/core/text_columns_reader.hh"
#include "blobs/core/text_columns_writer.hh"
#include "tests/unit/blobs/sample_records.hh"

namespace blobs {
namespace {

std::string encoded(block_streams& streams) {
    zstd_compressor zstd(zstd_level_seal);
    std::string out;
    for (size_t s = 0; s < streams_count; ++s) {
        streams.encode(static_cast<stream>(s), zstd, out);
    }
    return out;
}

void expect_numbers_come_back(const std::vector<uint64_t>& values) {
    block_streams streams;
    number_writer().put(values, streams);
    const auto bytes = encoded(streams);
    zstd_decompressor zstd;
    stream_readers in;
    ASSERT_TRUE(in.open(bytes, zstd));
    std::vector<uint64_t> back(values.size());
    take_numbers(in, back);
    EXPECT_TRUE(in.done());
    EXPECT_EQ(back, values);
}

TEST(number_column, edge_values_come_back) {
    expect_numbers_come_back({});
    expect_numbers_come_back({0});
    expect_numbers_come_back({UINT64_MAX, UINT64_MAX, UINT64_MAX});
    expect_numbers_come_back({0, UINT64_MAX, 0, UINT64_MAX / 2, UINT64_MAX / 2 + 1});
    expect_numbers_come_back({1'000'000, 2'000'000, 3'000'000, 7'000'000});
}

TEST(number_column, random_columns_come_back) {
    std::mt19937_64 random(11);
    for (int round = 0; round < 500; ++round) {
        std::vector<uint64_t> values(random() % 300);
        const uint64_t width = random() % 64;
        const uint64_t unit = random() % 3 == 0 ? 1'000 : 1;
        uint64_t running = random();
        for (auto& v : values) {
            v = round % 2 == 0 ? (random() >> width)* unit : running += (random() >> width) * unit;
        }
        expect_numbers_come_back(values);
    }
}

TEST(number_column, evenly_spaced_times_cost_nothing) {
    std::vector<uint64_t> times;
    for (uint64_t i = 0; i < 10'000; ++i) {
        times.push_back(1'794'816'000'000'000'000 + i * 1'000'000);
    }
    block_streams streams;
    number_writer().put(times, streams);
    EXPECT_LT(encoded(streams).size(), 80u);
}

std::string masked(std::string_view text) {
    text_shaper shaper;
    EXPECT_TRUE(shaper.shape(text));
    return std::string(shaper.masked());
}

TEST(text_shape, masks_what_varies_and_keeps_the_rest) {
    EXPECT_EQ(masked("no digits: at all."), "no digits: at all.");
    EXPECT_EQ(masked("port 38926 ssh2"), "port \x01 ssh\x01");
    EXPECT_EQ(masked("blk_-6952295868487656571"), "blk_-\x01");
    EXPECT_EQ(masked("10.251.73.220:50010"), "\x01.\x01.\x01.\x01:\x01");
    EXPECT_EQ(masked("[req-38101a0b-2096-447d-96ea-a692162415ae]"), "[req-\x03]");
    EXPECT_EQ(masked("54fadb412c4e40cd"), "\x02");
    EXPECT_EQ(masked("0x7ffe12ab"), "\x04");
    EXPECT_EQ(masked("2026-11-16T09:30:00.123Z"), "\x01-\x01-\x01T\x01:\x01:\x01.\x01Z");
    EXPECT_EQ(masked("12345678901234567890123"), "\x01\x01");
}

TEST(text_shape, texts_with_masks_or_too_many_variables_get_no_template) {
    text_shaper shaper;
    EXPECT_FALSE(shaper.shape("a\x01"));
    EXPECT_FALSE(shaper.shape("7\x04"));
    std::string many;
    for (size_t i = 0; i <= shaped_words_max; ++i) {
        many += "1 ";
    }
    EXPECT_FALSE(shaper.shape(many));
    EXPECT_FALSE(shaper.shape(std::string(shaped_text_bytes_max + 1, 'x')));
}

void expect_texts_come_back(const std::vector<std::string>& texts) {
    text_columns_writer writer;
    writer.clear();
    std::string raw;
    for (const auto& text : texts) {
        const auto where = static_cast<uint32_t>(raw.size());
        raw += text;
        writer.add(text, where);
    }
    block_streams streams;
    writer.begin(raw, streams);
    while (writer.put_template(streams)) {
    }
    const auto bytes = encoded(streams);
    zstd_decompressor zstd;
    stream_readers in;
    ASSERT_TRUE(in.open(bytes, zstd));
    text_columns columns;
    columns.take(texts.size(), in);
    ASSERT_TRUE(in.done());
    for (size_t i = texts.size(); i-- > 0;) {
        std::string back;
        ASSERT_TRUE(columns.append(i, back));
        EXPECT_EQ(back, texts[i]);
    }
}

TEST(text_columns, leading_zeros_and_widths_come_back) {
    expect_texts_come_back({"a 007", "a 7", "a 07"});
    expect_texts_come_back({"a 07", "a 08", "a 10"});
    expect_texts_come_back({"n 0", "n 00", "n 18446744073709551615", "n 99999999999999999999"});
    expect_texts_come_back({"x deadbeef01 y", "x 0badf00d y", "x deadbeef012 y"});
    expect_texts_come_back({"", "\n", "", "0"});
}

TEST(text_columns, words_that_repeat_across_templates_come_back) {
    std::vector<std::string> texts;
    for (int i = 0; i < 400; ++i) {
        const auto id = std::to_string(173'234'311 + i % 7);
        texts.push_back((i % 2 == 0 ? "open " : "close connection ") + id + ":" + std::to_string(i % 3));
    }
    expect_texts_come_back(texts);
}

TEST(text_columns, any_texts_come_back) {
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        test::record_source source(seed);
        std::vector<std::string> texts;
        for (const auto& r : source.records(300, 40)) {
            texts.push_back(r.text);
        }
        expect_texts_come_back(texts);
    }
}

} // namespace
} // namespace blobs
