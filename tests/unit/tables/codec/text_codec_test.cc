#include <gtest/gtest.h>

#include "tables/core/codec/text_column.hh"
#include "tables/core/codec/text_front.hh"
#include "tests/unit/tables/codec/sample_data.hh"

namespace {

using namespace tables::codec;

template <class Column>
std::string coded(const texts& values) {
    zstd_compressor zstd;
    std::string out;
    if constexpr (std::is_same_v<Column, text_pages>) {
        encode_text_pages(values, zstd, out);
    } else if constexpr (std::is_same_v<Column, text_front>) {
        encode_text_front(values, zstd, out);
    } else if constexpr (std::is_same_v<Column, text_dictionary>) {
        encode_text_dictionary(index_texts(values, values.size()).value(), zstd, out);
    } else {
        encode_text_column(values, zstd, out);
    }
    return out;
}

texts slice(const texts& values, size_t begin, size_t end) {
    texts out;
    for (size_t i = begin; i < end; ++i) {
        out.push_back(values[i]);
    }
    return out;
}

template <class Column>
class text_codec : public testing::Test {};

using codecs = testing::Types<text_pages, text_dictionary, text_front, text_column>;
TYPED_TEST_SUITE(text_codec, codecs);

template <class Column>
bool can_hold(uint64_t seed) {
    return !std::is_same_v<Column, text_front> || seed % 6 != 4; // keys are short
}

TYPED_TEST(text_codec, any_range_comes_back) {
    zstd_decompressor zstd;
    for (uint64_t seed = 0; seed < 120; ++seed) {
        if (!can_hold<TypeParam>(seed)) {
            continue;
        }
        SCOPED_TRACE(seed);
        const auto values = samples::texts(seed, seed % 6 == 4 ? 60 : 3'000);
        const auto bytes = coded<TypeParam>(values);
        const auto column = TypeParam::open(bytes, values.size());
        ASSERT_TRUE(column);
        texts all;
        ASSERT_TRUE(column->decode(0, values.size(), zstd, all));
        ASSERT_EQ(all, values);
        samples::generator random(seed);
        for (int i = 0; i < 5; ++i) {
            const size_t begin = random() % (values.size() + 1);
            const size_t end = begin + random() % (values.size() - begin + 1);
            texts out;
            ASSERT_TRUE(column->decode(begin, end, zstd, out));
            ASSERT_EQ(out, slice(values, begin, end));
        }
    }
}

TYPED_TEST(text_codec, decoding_appends) {
    zstd_decompressor zstd;
    const auto values = samples::texts(5, 100);
    const auto bytes = coded<TypeParam>(values);
    const auto column = TypeParam::open(bytes, values.size());
    texts out;
    out.push_back("before");
    ASSERT_TRUE(column->decode(0, 1, zstd, out));
    EXPECT_EQ(out.size(), 2u);
    EXPECT_EQ(out[0], "before");
    EXPECT_EQ(out[1], values[0]);
}

TYPED_TEST(text_codec, cut_bytes_are_refused) {
    zstd_decompressor zstd;
    for (uint64_t seed = 0; seed < 12; ++seed) {
        if (!can_hold<TypeParam>(seed)) {
            continue;
        }
        const auto values = samples::texts(seed, 20);
        const auto good = coded<TypeParam>(values);
        for (size_t size = 0; size < good.size(); ++size) {
            const auto column = TypeParam::open(std::string_view(good).substr(0, size), values.size());
            texts out;
            EXPECT_FALSE(column && column->decode(0, values.size(), zstd, out)) << seed << " " << size;
        }
    }
}

TYPED_TEST(text_codec, changed_bytes_never_misbehave) {
    zstd_decompressor zstd;
    samples::generator random(7);
    for (uint64_t seed = 0; seed < 300; ++seed) {
        if (!can_hold<TypeParam>(seed)) {
            continue;
        }
        const auto values = samples::texts(seed, 40);
        auto bytes = coded<TypeParam>(values);
        bytes[random() % std::min<size_t>(bytes.size(), 40)] = static_cast<char>(random());
        if (const auto column = TypeParam::open(bytes, values.size())) {
            texts out;
            std::ignore = column->decode(0, values.size(), zstd, out);
        }
    }
}

TEST(text_column, few_different_texts_become_codes) {
    const auto values = samples::texts(6 + 1, 3'000);
    const auto bytes = coded<text_column>(values);
    EXPECT_EQ(bytes[0], 1);
    EXPECT_LE(bytes.size(), values.size() * 3 / 8 + 200);
}

TEST(text_column, one_text_for_all_takes_next_to_nothing) {
    texts values;
    for (int i = 0; i < 10'000; ++i) {
        values.push_back("the same");
    }
    EXPECT_LE(coded<text_column>(values).size(), 24u);
}

TEST(text_column, an_empty_one_has_no_bytes) {
    EXPECT_EQ(coded<text_column>(texts()), "");
    EXPECT_TRUE(text_column::open("", 0));
    EXPECT_FALSE(text_column::open("x", 0));
    EXPECT_FALSE(text_column::open("", 1));
}

TEST(text_pages, compression_is_kept_only_where_it_pays) {
    texts noise;
    samples::generator random(1);
    for (int i = 0; i < 2'000; ++i) {
        const uint64_t a = random();
        const uint64_t b = random();
        noise.push_back(std::string(reinterpret_cast<const char*>(&a), 8) + std::string(reinterpret_cast<const char*>(&b), 8));
    }
    const auto bytes = coded<text_pages>(noise);
    EXPECT_GE(bytes.size(), noise.bytes.size());
    EXPECT_LE(bytes.size(), noise.bytes.size() + 16);
}

TEST(text_pages, lengths_that_add_up_to_too_much_are_refused_before_anything_is_allocated) {
    std::string bytes;
    std::string lengths;
    encode_int_column(std::vector<int64_t>{int64_t{1} << 40}, lengths);
    base::put_bytes(bytes, lengths);
    base::put_varint(bytes, 1);
    base::put_varint(bytes, 1); // an empty zstd frame
    const auto pages = text_pages::open(bytes, 1);
    ASSERT_TRUE(pages);
    zstd_decompressor zstd;
    texts out;
    EXPECT_FALSE(pages->decode(0, 1, zstd, out));
}

TEST(text_dictionary, codes_that_would_blow_up_are_refused) {
    // 60,000 times a text of 1 MiB.
    text_index index;
    index.entries.push_back(std::string(1'048'576, 'x'));
    index.codes.assign(60'000, 0);
    std::string bytes;
    zstd_compressor compressor;
    encode_text_dictionary(index, compressor, bytes);
    ASSERT_LT(bytes.size(), 1'000u);
    zstd_decompressor zstd;
    texts out;
    EXPECT_FALSE(text_dictionary::open(bytes, 60'000)->decode(0, 60'000, zstd, out));
    EXPECT_LE(out.bytes.size(), column_text_bytes_max);
}

TEST(text_front, sorted_keys_take_little_more_than_what_differs) {
    texts values;
    for (int i = 0; i < 6'400; ++i) {
        values.push_back("tenant-0017/device-" + std::to_string(100'000 + i));
    }
    const auto bytes = coded<text_front>(values);
    EXPECT_LE(bytes.size(), values.size() * 2);
}

} // namespace
