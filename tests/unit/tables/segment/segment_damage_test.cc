// What a changed byte can do: be noticed. And it hides nothing but the block, page or filter it is in.

#include <gtest/gtest.h>

#include "tests/unit/tables/segment/sample_segment.hh"

namespace {

using namespace tables;

struct opened {
    std::optional<segment_view> segment;
    base::errc code{};
};

opened try_open(std::string_view file) {
    if (file.size() < segment_layout::trailer_bytes) {
        return {std::nullopt, base::errc::corrupt};
    }
    const auto trailer = segment_trailer::parse(file.substr(file.size() - segment_layout::trailer_bytes), file.size());
    if (!trailer) {
        return {std::nullopt, trailer.error().code};
    }
    auto segment = segment_view::open(*trailer, samples::bytes_of(file, trailer->footer));
    return segment ? opened{std::move(*segment)} : opened{std::nullopt, segment.error().code};
}

samples::model small_rows() {
    samples::model rows;
    for (int p = 0; p < 3; ++p) {
        for (int i = 0; i < 70; ++i) {
            rows[{"p" + std::to_string(p), base::inverted_text({638'000'000'000'000'000 + i * 10'000'000})}] = {
                row_kind::put,
                {638'000'000'000'000'000},
                {{"a", value_type::int64, static_cast<uint64_t>(i)},
                 {"t", value_type::string, 0, "text " + std::to_string(i % 5)}}};
        }
    }
    return rows;
}

bool contains(file_extent extent, size_t at) {
    return at >= extent.offset && at < extent.end();
}

TEST(segment_damage, every_changed_byte_is_noticed_and_hides_nothing_else) {
    codec::zstd_decompressor zstd;
    const auto good = samples::build(small_rows(), {.table = {7}, .seed = 3, .block_rows_max = 80});
    const auto whole = samples::open(good);
    std::vector<std::vector<std::pair<samples::key, samples::stored_row>>> expected;
    for (size_t b = 0; b < whole.blocks_count(); ++b) {
        expected.push_back(samples::rows_of(whole, good, b).value());
    }
    ASSERT_EQ(expected.size(), 3u);
    size_t noticed_at_open = 0;
    for (size_t at = 0; at < good.size(); ++at) {
        SCOPED_TRACE(at);
        auto file = good;
        file[at] = static_cast<char>(file[at] ^ (1 << (at % 8)));
        const auto [segment, code] = try_open(file);
        if (!segment) {
            ++noticed_at_open;
            continue;
        }
        bool is_noticed = false;
        for (size_t b = 0; b < segment->blocks_count(); ++b) {
            const auto rows = samples::rows_of(*segment, file, b);
            EXPECT_EQ(rows.has_value(), !contains(segment->block(b).extent, at));
            if (rows) {
                ASSERT_EQ(rows->size(), expected[b].size());
                EXPECT_TRUE(std::ranges::equal(
                    *rows, expected[b], [](const auto& x, const auto& y) { return x.first == y.first && x.second == y.second; }));
            } else {
                EXPECT_EQ(rows.error().code, base::errc::corrupt);
                EXPECT_NE(rows.error().detail.find("table 7"), std::string::npos) << rows.error().detail;
            }
            const auto filter = segment->open_filter(b, samples::bytes_of(file, segment->filter_extent(b)));
            EXPECT_EQ(filter.has_value(), !contains(segment->filter_extent(b), at));
            is_noticed |= !rows || !filter;
        }
        for (size_t p = 0; p < segment->pages_count(); ++p) {
            const auto page = segment->open_page(p, samples::bytes_of(file, segment->page(p).extent), zstd);
            EXPECT_EQ(page.has_value(), !contains(segment->page(p).extent, at));
            is_noticed |= !page;
        }
        EXPECT_TRUE(is_noticed);
    }
    EXPECT_GT(noticed_at_open, segment_layout::trailer_bytes);
}

TEST(segment_damage, a_cut_file_is_not_a_segment) {
    const auto good = samples::build(small_rows(), {});
    for (size_t size = 0; size < good.size(); size += 1 + size / 50) {
        EXPECT_EQ(try_open(std::string_view(good).substr(0, size)).code, base::errc::corrupt) << size;
    }
}

TEST(segment_damage, a_later_version_is_refused_by_name) {
    auto file = samples::build(small_rows(), {});
    const size_t trailer_at = file.size() - segment_layout::trailer_bytes;
    file[trailer_at + segment_layout::version_at] = segment_layout::version + 1;
    std::string checksum;
    base::put_fixed(checksum, base::checksum64(std::string_view(file).substr(trailer_at, segment_layout::checksum_at)));
    file.replace(trailer_at + segment_layout::checksum_at, checksum.size(), checksum);
    EXPECT_EQ(try_open(file).code, base::errc::newer_format);
}

TEST(segment_damage, a_block_of_another_file_does_not_pass) {
    const auto one = samples::build(small_rows(), {.seed = 1});
    const auto other = samples::build(small_rows(), {.seed = 2});
    const auto segment = samples::open(one);
    EXPECT_TRUE(segment.open_block(0, samples::bytes_of(one, segment.block(0).extent)));
    EXPECT_FALSE(segment.open_block(0, samples::bytes_of(other, segment.block(0).extent)));
}

// Past the checksum nothing may misbehave either: a writer of ours can have a bug.
TEST(segment_damage, blocks_and_footers_that_are_wrong_inside_never_misbehave) {
    codec::zstd_decompressor zstd;
    samples::generator random(1);
    for (uint64_t seed = 0; seed < 60; ++seed) {
        const auto file = samples::build(samples::random_rows(seed), samples::random_options(seed));
        const auto segment = samples::open(file);
        auto body = std::string(samples::bytes_of(file, segment.block(0).extent));
        body.resize(body.size() - segment_layout::checksum_bytes);
        for (int i = 0; i < 3; ++i) {
            body[random() % std::min<size_t>(body.size(), i == 0 ? 40 : body.size())] = static_cast<char>(random());
        }
        if (const auto block = block_view::parse(body, segment.schema())) {
            block_rows rows(*block, segment.schema(), zstd);
            std::ignore = rows.load({0, block->rows_count()});
            std::ignore = block->find("host=1,region=eu", "x", zstd);
        }
        const auto trailer =
            segment_trailer::parse(std::string_view(file).substr(file.size() - segment_layout::trailer_bytes), file.size());
        auto footer = std::string(samples::bytes_of(file, trailer->footer));
        footer[random() % footer.size()] = static_cast<char>(random());
        std::ignore = segment_footer::parse(footer, trailer->footer.offset, zstd);
    }
}

} // namespace
