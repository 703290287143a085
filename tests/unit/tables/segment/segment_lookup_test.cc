// From a key to its row: block index, filters, partition pages.

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/tables/segment/sample_segment.hh"

namespace {

using namespace tables;

constexpr uint64_t seeds_count = 40;

struct sample {
    samples::model rows;
    std::string file;
    segment_view segment;

    explicit sample(uint64_t seed)
        : rows(samples::random_rows(seed)), file(samples::build(rows, samples::random_options(seed))),
          segment(samples::open(file)) {}

    std::string_view bytes(file_extent e) const { return samples::bytes_of(file, e); }
    block_view block(size_t i) const { return segment.open_block(i, bytes(segment.block(i).extent)).value(); }
    key_filter filter(size_t i) const { return segment.open_filter(i, bytes(segment.filter_extent(i))).value(); }
};

TEST(segment_lookup, every_row_is_found_by_its_key) {
    codec::zstd_decompressor zstd;
    for (uint64_t seed = 0; seed < seeds_count; ++seed) {
        SCOPED_TRACE(seed);
        const sample s(seed);
        size_t skipped = 0;
        for (const auto& [key, row] : s.rows) {
            if (++skipped % 17 != 0) {
                continue;
            }
            const auto at = s.segment.locate(key.first, key.second);
            ASSERT_TRUE(at);
            ASSERT_TRUE(s.filter(*at).may_have_partition(key.first));
            ASSERT_TRUE(s.filter(*at).may_have_row(key.first, key.second));
            const auto block = s.block(*at);
            const auto found = block.find(key.first, key.second, zstd).value();
            ASSERT_TRUE(found) << key.first << " / " << key.second;
            block_rows rows(block, s.segment.schema(), zstd);
            ASSERT_TRUE(rows.load({*found, *found + 1}));
            EXPECT_TRUE(samples::stored(rows[0]) == row);
        }
    }
}

TEST(segment_lookup, absent_keys_are_not_found) {
    codec::zstd_decompressor zstd;
    for (uint64_t seed = 0; seed < seeds_count; ++seed) {
        const sample s(seed);
        samples::generator random(seed);
        for (int i = 0; i < 50; ++i) {
            auto [partition_key, row_key] = std::next(s.rows.begin(), static_cast<ptrdiff_t>(random() % s.rows.size()))->first;
            switch (random() % 4) {
            case 0: row_key += '!'; break;
            case 1: row_key = row_key.substr(0, row_key.size() / 2); break;
            case 2: partition_key += '0'; break;
            case 3: row_key = base::inverted_text({static_cast<int64_t>(random() % 1'000'000)}); break;
            }
            const auto at = s.segment.locate(partition_key, row_key);
            const bool is_there = s.rows.contains({partition_key, row_key});
            const bool is_found = at && s.block(*at).find(partition_key, row_key, zstd).value();
            EXPECT_EQ(is_found, is_there) << seed << ": " << partition_key << " / " << row_key;
        }
    }
}

TEST(segment_lookup, the_blocks_of_a_range_have_all_its_rows) {
    codec::zstd_decompressor zstd;
    for (uint64_t seed = 0; seed < seeds_count; ++seed) {
        SCOPED_TRACE(seed);
        const sample s(seed);
        samples::generator random(seed);
        const auto random_key = [&] {
            auto [partition_key, row_key] = std::next(s.rows.begin(), static_cast<ptrdiff_t>(random() % s.rows.size()))->first;
            return random() % 2 ? entity_key{partition_key, row_key + "x"} : entity_key{partition_key, row_key};
        };
        for (int i = 0; i < 10; ++i) {
            key_range range{random_key(), random_key()};
            range = random() % 4 == 0 ? key_range{range.from, std::nullopt} : range;
            range = random() % 4 == 0 ? key_range::partition(range.from.partition_key) : range;
            std::vector<samples::key> expected;
            for (const auto& [key, row] : s.rows) {
                if (range.contains(key.first, key.second)) {
                    expected.push_back(key);
                }
            }
            std::vector<samples::key> found;
            const auto blocks = s.segment.locate(range);
            for (size_t b = blocks.begin; b < blocks.end; ++b) {
                for (const auto& [key, row] : samples::rows_of(s.segment, s.file, b).value()) {
                    if (range.contains(key.first, key.second)) {
                        found.push_back(key);
                    }
                }
            }
            ASSERT_EQ(found, expected);
            if (range.before && *range.before <= range.from) {
                EXPECT_LE(blocks.size(), 1u) << "an empty range reads next to nothing";
            }
        }
    }
}

TEST(segment_lookup, the_lower_bound_is_the_first_row_not_before_the_key) {
    codec::zstd_decompressor zstd;
    for (uint64_t seed = 0; seed < seeds_count; ++seed) {
        SCOPED_TRACE(seed);
        const sample s(seed);
        samples::generator random(seed);
        const size_t b = random() % s.segment.blocks_count();
        const auto block = s.block(b);
        const auto rows = samples::rows_of(s.segment, s.file, b).value();
        for (int i = 0; i < 40; ++i) {
            auto key = rows[random() % rows.size()].first;
            switch (random() % 5) {
            case 0: break;
            case 1: key.second += "1"; break;
            case 2: key.second = key.second.substr(0, random() % (key.second.size() + 1)); break;
            case 3: key.first = key.first.substr(0, key.first.size() / 2); break;
            case 4: key.first += "~"; break;
            }
            const auto expected = std::ranges::lower_bound(rows, key, {}, [](const auto& r) { return r.first; }) - rows.begin();
            EXPECT_EQ(block.lower_bound(key.first, key.second, zstd).value(), static_cast<size_t>(expected));
        }
    }
}

TEST(segment_lookup, filters_say_no_to_most_absent_text_keys) {
    samples::model rows;
    for (int i = 0; i < 5'000; ++i) {
        rows[{"p", "row-" + std::to_string(2 * i)}] = {};
    }
    const auto file = samples::build(rows, {});
    const auto segment = samples::open(file);
    size_t wrong = 0;
    for (int i = 0; i < 5'000; ++i) {
        const auto key = "row-" + std::to_string(2 * i + 1);
        if (const auto at = segment.locate("p", key)) {
            const auto bytes = samples::bytes_of(file, segment.filter_extent(*at));
            wrong += segment.open_filter(*at, bytes)->may_have_row("p", key);
        }
    }
    EXPECT_LT(wrong, 100u);
}

TEST(segment_lookup, filters_of_time_keys_take_a_few_bytes_for_each_partition) {
    samples::model rows;
    for (int p = 0; p < 10; ++p) {
        for (int i = 0; i < 1'000; ++i) {
            rows[{"series-" + std::to_string(p), base::inverted_text({1'000'000 + i})}] = {};
        }
    }
    const auto file = samples::build(rows, {});
    const auto segment = samples::open(file);
    ASSERT_EQ(segment.blocks_count(), 1u);
    const auto filter = segment.open_filter(0, samples::bytes_of(file, segment.filter_extent(0)));
    EXPECT_LE(segment.filter_extent(0).size, 13u + segment_layout::checksum_bytes);
    EXPECT_TRUE(filter->may_have_row("series-3", base::inverted_text({5})));
    size_t wrong = 0;
    for (int p = 100; p < 1'100; ++p) {
        wrong += filter->may_have_partition("series-" + std::to_string(p));
    }
    EXPECT_LT(wrong, 40u);
}

TEST(segment_lookup, blocks_outside_a_time_range_are_told_apart) {
    for (uint64_t seed = 0; seed < seeds_count; ++seed) {
        const sample s(seed);
        samples::generator random(seed);
        for (size_t b = 0; b < s.segment.blocks_count(); ++b) {
            const auto oldest = 638'000'000'000'000'000 + static_cast<int64_t>(random() % 100'000'000'000);
            const auto newest = oldest + static_cast<int64_t>(random() % 10'000'000'000);
            bool has = false;
            for (const auto& [key, row] : samples::rows_of(s.segment, s.file, b).value()) {
                const auto tick = split_row_key(key.second).tick;
                has |= !tick || (tick->value >= oldest && tick->value <= newest);
            }
            EXPECT_TRUE(!has || s.segment.may_have_times(b, {oldest}, {newest})) << seed;
        }
    }
    samples::model rows;
    for (int i = 0; i < 100; ++i) {
        rows[{"p", base::inverted_text({1'000 + i})}] = {};
    }
    const auto segment = samples::open(samples::build(rows, {}));
    EXPECT_TRUE(segment.may_have_times(0, {1'099}, {5'000}));
    EXPECT_FALSE(segment.may_have_times(0, {1'100}, {5'000}));
    EXPECT_TRUE(segment.may_have_times(0, {0}, {1'000}));
    EXPECT_FALSE(segment.may_have_times(0, {0}, {999}));
}

struct expected_partition {
    uint64_t first_row = 0;
    uint64_t rows_count = 0;
    std::optional<base::tick> newest;
    std::optional<base::tick> oldest;
    const samples::stored_row* newest_row = nullptr;
    std::string newest_key;
};

std::map<std::string, expected_partition> partitions_of(const samples::model& rows) {
    std::map<std::string, expected_partition> out;
    uint64_t ordinal = 0;
    for (const auto& [key, row] : rows) {
        auto& p = out[key.first];
        p.first_row = p.rows_count++ == 0 ? ordinal : p.first_row;
        ++ordinal;
        if (const auto tick = split_row_key(key.second).tick) {
            if (!p.newest) {
                p.newest = tick;
                p.newest_row = &row;
                p.newest_key = key.second;
            }
            p.oldest = tick;
        }
    }
    return out;
}

TEST(partition_pages, list_every_partition_with_its_newest_row) {
    codec::zstd_decompressor zstd;
    size_t newest_rows_seen = 0;
    for (uint64_t seed = 0; seed < seeds_count; ++seed) {
        SCOPED_TRACE(seed);
        const sample s(seed);
        const auto expected = partitions_of(s.rows);
        auto at = expected.begin();
        for (size_t p = 0; p < s.segment.pages_count(); ++p) {
            const auto page = s.segment.open_page(p, s.bytes(s.segment.page(p).extent), zstd).value();
            std::optional<block_rows> newest;
            if (page.newest_rows() != nullptr) {
                newest.emplace(*page.newest_rows(), s.segment.schema(), zstd);
                ASSERT_TRUE(newest->load({0, page.newest_rows()->rows_count()}));
            }
            for (size_t i = 0; i < page.size(); ++i, ++at) {
                const auto info = page[i];
                ASSERT_NE(at, expected.end());
                ASSERT_EQ(info.partition_key, at->first);
                EXPECT_EQ(info.first_row, at->second.first_row);
                EXPECT_EQ(info.rows_count, at->second.rows_count);
                EXPECT_EQ(info.newest, at->second.newest);
                EXPECT_EQ(info.oldest, at->second.oldest);
                EXPECT_EQ(s.segment.locate_page(info.partition_key), p);
                EXPECT_EQ(page.find(info.partition_key), i);
                const bool is_large = at->second.rows_count >= segment_layout::newest_row_from_rows;
                ASSERT_EQ(info.newest_row.has_value(), is_large && at->second.newest_row != nullptr);
                if (info.newest_row) {
                    const auto row = (*newest)[*info.newest_row];
                    EXPECT_EQ(row.partition_key, at->first);
                    EXPECT_EQ(row.row_key, at->second.newest_key);
                    EXPECT_TRUE(samples::stored(row) == *at->second.newest_row);
                    ++newest_rows_seen;
                }
            }
            EXPECT_EQ(page.find("no such partition"), std::nullopt);
        }
        EXPECT_EQ(at, expected.end());
    }
    EXPECT_GT(newest_rows_seen, 50u) << "the sample has large partitions";
}

TEST(partition_pages, a_newest_row_that_is_too_large_stays_in_its_block) {
    codec::zstd_decompressor zstd;
    samples::model rows;
    for (int i = 0; i < 100; ++i) {
        std::string text(i == 99 ? segment_layout::newest_row_bytes_max : 10, 'x');
        rows[{"p", base::inverted_text({1'000 + i})}].properties = {{"text", value_type::string, 0, text}};
    }
    const auto file = samples::build(rows, {});
    const auto segment = samples::open(file);
    const auto page = segment.open_page(0, samples::bytes_of(file, segment.page(0).extent), zstd).value();
    EXPECT_EQ(page[0].newest, base::tick{1'099});
    EXPECT_EQ(page[0].newest_row, std::nullopt);
    EXPECT_EQ(page.newest_rows(), nullptr);
}

TEST(partition_pages, a_partition_before_the_first_has_no_page) {
    const sample s(1);
    EXPECT_EQ(s.segment.locate_page(""), s.rows.begin()->first.first.empty() ? std::optional<size_t>(0) : std::nullopt);
}

} // namespace
