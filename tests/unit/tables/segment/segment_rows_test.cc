// Rows in, segment, rows out.

#include <gtest/gtest.h>

#include "tests/unit/tables/segment/sample_segment.hh"

namespace {

using namespace tables;

void expect_same(const samples::model& rows, std::string_view file) {
    const auto segment = samples::open(file);
    auto expected = rows.begin();
    for (size_t i = 0; i < segment.blocks_count(); ++i) {
        const auto found = samples::rows_of(segment, file, i);
        ASSERT_TRUE(found) << base::to_string(found.error());
        const auto info = segment.block(i);
        ASSERT_EQ(found->size(), info.rows_count);
        EXPECT_EQ(found->front().first, samples::key(info.first_partition_key, info.first_row_key));
        EXPECT_EQ(found->back().first, samples::key(info.last_partition_key, info.last_row_key));
        for (const auto& [key, row] : *found) {
            ASSERT_NE(expected, rows.end());
            ASSERT_EQ(key, expected->first);
            ASSERT_TRUE(row == expected->second) << key.first << " / " << key.second;
            ++expected;
        }
    }
    EXPECT_EQ(expected, rows.end());
}

TEST(segment, random_rows_come_back) {
    for (uint64_t seed = 0; seed < 320; ++seed) {
        SCOPED_TRACE(seed);
        const auto rows = samples::random_rows(seed);
        expect_same(rows, samples::build(rows, samples::random_options(seed)));
        if (HasFatalFailure()) {
            return;
        }
    }
}

samples::stored_row row_with(std::vector<samples::stored_property> properties) {
    return {row_kind::put, {638'000'000'000'000'000}, std::move(properties)};
}

// Every type that has its place in the fixed part of a row.
samples::stored_row plain_row(samples::generator& random, size_t columns_count) {
    const value_type types[] = {value_type::boolean,  value_type::int32, value_type::int64,
                                value_type::datetime, value_type::real,  value_type::guid};
    std::vector<samples::stored_property> properties;
    for (size_t i = 0; i < columns_count; ++i) {
        samples::stored_property p{std::string(1, static_cast<char>('a' + i)), types[i]};
        switch (p.type) {
        case value_type::boolean: p.bits = random() % 2; break;
        case value_type::int32: p.bits = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(random()))); break;
        case value_type::guid: p.bytes = std::string(16, static_cast<char>(random())); break;
        default: p.bits = random() >> 2; break;
        }
        properties.push_back(std::move(p));
    }
    return row_with(std::move(properties));
}

TEST(segment, rows_of_one_shape_come_back_whatever_comes_between_them) {
    for (uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        samples::generator random(seed);
        samples::model rows;
        const size_t leaps = seed % 4 == 0 ? 0 : 1 + random() % 300;
        size_t columns_count = 6;
        for (int i = 0; i < 1'500; ++i) {
            auto row = plain_row(random, columns_count);
            if (leaps != 0 && random() % leaps == 0) {
                switch (random() % 4) {
                case 0: columns_count = 1 + random() % 6; break;
                case 1: row.properties.push_back({"z", value_type::string, 0, "text"}); break;
                case 2: row.properties.clear(); break;
                case 3: row = {row_kind::remove, row.timestamp, {}}; break;
                }
            }
            rows[{"partition", std::to_string(1'000'000 + i)}] = std::move(row);
        }
        expect_same(rows, samples::build(rows, {}));
        if (HasFatalFailure()) {
            return;
        }
    }
}

TEST(segment, an_entity_of_a_mebibyte_comes_back) {
    samples::generator random(1);
    samples::model rows;
    for (int r = 0; r < 3; ++r) {
        std::vector<samples::stored_property> properties;
        for (int i = 10; i < 26; ++i) {
            std::string bytes(65'536, '\0');
            std::ranges::generate(bytes, [&] { return static_cast<char>(r == 1 ? 'x' : random()); });
            properties.push_back({"p" + std::to_string(i), value_type::binary, 0, std::move(bytes)});
        }
        rows[{"partition", "row" + std::to_string(r)}] = row_with(std::move(properties));
    }
    expect_same(rows, samples::build(rows, {}));
}

TEST(segment, one_row_without_properties_comes_back) {
    const samples::model rows{{{"", ""}, row_with({})}};
    expect_same(rows, samples::build(rows, {}));
}

TEST(segment, only_removes_come_back) {
    samples::model rows;
    for (int i = 0; i < 100; ++i) {
        rows[{"p", std::to_string(i)}] = {row_kind::remove, {1}, {}};
    }
    const auto file = samples::build(rows, {});
    expect_same(rows, file);
    EXPECT_EQ(samples::open(file).facts().removes_count, 100u);
    EXPECT_EQ(samples::open(file).schema().size(), 0u);
}

TEST(segment, every_row_may_have_names_of_its_own) {
    samples::model rows;
    for (int r = 0; r < 100; ++r) {
        std::vector<samples::stored_property> properties;
        for (int i = 100; i < 352; ++i) {
            properties.push_back(
                {"n" + std::to_string(i) + "_" + std::to_string(r), value_type::int64, static_cast<uint64_t>(i)});
        }
        rows[{"p", std::to_string(r)}] = row_with(std::move(properties));
    }
    const auto file = samples::build(rows, {});
    expect_same(rows, file);
    EXPECT_GT(samples::open(file).blocks_count(), 1u) << "a block has a bound on its columns";
}

TEST(segment, the_longest_keys_come_back) {
    samples::model rows;
    for (int r = 0; r < 200; ++r) {
        rows[{std::string(key_bytes_max, static_cast<char>('a' + r % 5)),
              std::string(key_bytes_max - 3, 'k') + std::to_string(100 + r)}] = row_with({});
    }
    expect_same(rows, samples::build(rows, {}));
}

TEST(segment, many_blocks_and_many_partitions_come_back) {
    samples::model rows;
    for (int p = 0; p < 10'000; ++p) {
        rows[{"user-" + std::to_string(p), "profile"}] = row_with({{"n", value_type::int64, static_cast<uint64_t>(p)}});
    }
    const auto file = samples::build(rows, {.block_rows_max = 500});
    expect_same(rows, file);
    const auto segment = samples::open(file);
    EXPECT_EQ(segment.blocks_count(), 20u);
    EXPECT_EQ(segment.facts().partitions_count, 10'000u);
    EXPECT_GT(segment.pages_count(), 1u);
}

TEST(segment, the_facts_are_those_of_the_rows) {
    for (uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        const auto rows = samples::random_rows(seed);
        const auto options = samples::random_options(seed);
        const auto segment = samples::open(samples::build(rows, options));

        segment_facts expected{
            .table = options.table, .sequence_min = options.sequence_min, .sequence_max = options.sequence_max};
        expected.timestamp_min = expected.timestamp_max = rows.begin()->second.timestamp;
        std::string last_partition;
        for (const auto& [key, row] : rows) {
            expected.partitions_count += expected.rows_count == 0 || key.first != last_partition ? 1 : 0;
            last_partition = key.first;
            ++expected.rows_count;
            expected.merges_count += row.kind == row_kind::merge;
            expected.removes_count += row.kind == row_kind::remove;
            expected.timestamp_min = std::min(expected.timestamp_min, row.timestamp);
            expected.timestamp_max = std::max(expected.timestamp_max, row.timestamp);
            expected.slots.add(base::placement().slot_of(key.first));
            if (const auto tick = split_row_key(key.second).tick) {
                expected.newest = std::max(expected.newest.value_or(*tick), *tick);
                expected.oldest = std::min(expected.oldest.value_or(*tick), *tick);
            } else {
                ++expected.text_keys_count;
            }
        }
        EXPECT_EQ(segment.facts(), expected);
    }
}

TEST(segment, the_same_rows_make_the_same_bytes) {
    const auto rows = samples::random_rows(5);
    EXPECT_EQ(samples::build(rows, samples::random_options(5)), samples::build(rows, samples::random_options(5)));
}

} // namespace
