#include "tables/core/row_batch.hh"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tables/core/key.hh"
#include "tests/lib/source_folder.hh"
#include "tests/unit/tables/random_rows.hh"

namespace {

using namespace tables;

constexpr base::table_id table{7};

// What was added, to compare with what comes out.
struct model_row {
    row_kind kind;
    std::string partition_key;
    std::string row_key;
    std::optional<base::tick> timestamp;
    std::vector<property> properties;
};

std::vector<model_row> random_model(tables_test::random_rows& rows, size_t count) {
    std::vector<model_row> model;
    for (size_t i = 0; i < count; ++i) {
        auto& random = rows.random;
        const auto kind = static_cast<row_kind>(1 + random() % 3);
        model_row row{kind, "p" + std::to_string(random() % 3), std::string(rows.text(random() % 200)), {}, {}};
        if (random() % 3 == 0) {
            row.timestamp = base::tick{static_cast<int64_t>(random() % 1'000)};
        }
        if (kind != row_kind::remove) {
            row.properties = rows.properties(random() % 5);
        }
        model.push_back(std::move(row));
    }
    return model;
}

void add(row_batch_builder& builder, const model_row& row) {
    if (row.timestamp || row.kind == row_kind::remove) {
        const auto s = shape_of(row.properties); // gone before the next row comes: the builder must not keep it
        std::string packed;
        pack_row(row.properties, packed);
        builder.add_row(row.kind, row.partition_key, row.row_key, row_view(s, packed), row.timestamp);
    } else {
        builder.add(row.kind, row.partition_key, row.row_key, row.properties);
    }
}

void expect_same(const row_batch_reader& batch, const std::vector<model_row>& model) {
    ASSERT_EQ(batch.rows_count(), model.size());
    auto expected = model.begin();
    for (const auto& row : batch) {
        ASSERT_NE(expected, model.end());
        ASSERT_EQ(row.kind, expected->kind);
        ASSERT_EQ(row.partition_key, expected->partition_key);
        ASSERT_EQ(row.row_key, expected->row_key);
        ASSERT_EQ(row.has_own_timestamp, expected->timestamp.has_value());
        ASSERT_EQ(row.timestamp, expected->timestamp.value_or(batch.timestamp()));
        ASSERT_TRUE(tables_test::same(tables_test::properties_of(row.row), expected->properties));
        if (row.kind != row_kind::remove) {
            ASSERT_EQ(&batch.shapes()[row.shape_index], &row.row.of_shape());
        }
        ++expected;
    }
    ASSERT_EQ(expected, model.end());
}

TEST(row_batch, random_rows_come_back_in_order) {
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE(seed);
        tables_test::random_rows rows(seed);
        const auto model = random_model(rows, rows.random() % 40);
        row_batch_builder builder(table);
        for (const auto& row : model) {
            add(builder, row);
        }
        auto batch = row_batch_reader::open(builder.bytes());
        ASSERT_TRUE(batch) << to_string(batch.error());
        EXPECT_EQ(batch->table(), table);
        expect_same(*batch, model);
    }
}

TEST(row_batch, a_batch_without_rows_is_a_batch) {
    row_batch_builder builder(table);
    EXPECT_TRUE(builder.empty());
    const auto batch = row_batch_reader::open(builder.bytes()).value();
    EXPECT_EQ(batch.rows_count(), 0u);
    EXPECT_TRUE(batch.begin() == batch.end());
}

TEST(row_batch, the_commit_time_is_set_in_place) {
    row_batch_builder builder(table);
    builder.add_put("p", "r", std::vector<property>{{"x", value::of_real(1)}});
    auto bytes = builder.take();
    auto batch = row_batch_reader::open(bytes).value();
    EXPECT_EQ(batch.timestamp(), base::tick{0});
    set_timestamp(bytes, base::tick{123});
    EXPECT_EQ(batch.timestamp(), base::tick{123});
    EXPECT_EQ(batch.begin()->timestamp, base::tick{123});
    EXPECT_FALSE(batch.begin()->has_own_timestamp);
}

TEST(row_batch, each_shape_is_written_once) {
    row_batch_builder builder(table);
    const std::vector<property> one{{"a", value::of_real(1)}, {"b", value::of_real(2)}};
    const std::vector<property> other{{"a", value::of_int64(1)}, {"b", value::of_real(2)}};
    for (int i = 0; i < 10; ++i) {
        builder.add_put("p", std::to_string(i), i % 3 == 0 ? one : other);
    }
    EXPECT_EQ(row_batch_reader::open(builder.bytes())->shapes().size(), 2u);
}

TEST(row_batch, what_repeats_costs_nothing) {
    row_batch_builder builder(table);
    const std::vector<property> ten_bytes{
        {"a", value::of_real(1)}, {"b", value::of_boolean(true)}, {"c", value::of_boolean(true)}};
    const std::string partition(100, 'p');
    builder.add_put(partition, "1", ten_bytes);
    const auto before = builder.bytes().size();
    builder.add_put(partition, "2", ten_bytes);
    EXPECT_EQ(builder.bytes().size() - before, 1u + 2 + 1 + 10);
}

TEST(row_batch, a_taken_builder_starts_again) {
    row_batch_builder builder(table);
    const std::vector<property> properties{{"a", value::of_string("x")}};
    builder.add_put("p", "r", properties);
    const auto first = builder.take();
    EXPECT_TRUE(builder.empty());
    builder.add_put("p", "r", properties);
    EXPECT_EQ(builder.bytes(), first);
}

TEST(row_batch, a_reader_may_be_moved_while_its_rows_are_in_use) {
    row_batch_builder builder(table);
    builder.add_put("p", "r", std::vector<property>{{"a", value::of_string("x")}});
    auto batch = row_batch_reader::open(builder.bytes()).value();
    const auto row = *batch.begin();
    const auto moved = std::move(batch);
    EXPECT_EQ(row.row.find("a")->as_string(), "x");
    EXPECT_EQ(&row.row.of_shape(), &moved.shapes()[0]);
}

std::string sample() {
    tables_test::random_rows rows(5);
    row_batch_builder builder(table);
    for (const auto& row : random_model(rows, 12)) {
        add(builder, row);
    }
    return builder.take();
}

TEST(row_batch, no_part_of_a_batch_is_a_batch) {
    const auto bytes = sample();
    for (size_t size = 0; size < bytes.size(); ++size) {
        const auto opened = row_batch_reader::open(std::string(bytes, 0, size));
        ASSERT_FALSE(opened) << size;
        EXPECT_EQ(opened.error().code, base::errc::corrupt);
    }
    EXPECT_FALSE(row_batch_reader::open(bytes + '\0'));
}

TEST(row_batch, any_single_damage_is_refused_or_harmless) {
    const auto good = sample();
    for (size_t at = 0; at < good.size(); ++at) {
        for (int bit = 0; bit < 8; ++bit) {
            auto bytes = good;
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
            if (const auto batch = row_batch_reader::open(bytes)) {
                size_t seen = 0;
                for (const auto& row : *batch) {
                    seen += tables_test::properties_of(row.row).size() + 1;
                }
                EXPECT_GE(seen, batch->rows_count());
            }
        }
    }
}

TEST(row_batch, a_later_version_is_told_apart_from_damage) {
    auto bytes = sample();
    bytes[0] = 2;
    EXPECT_EQ(row_batch_reader::open(bytes).error().code, base::errc::newer_format);
    bytes[0] = 0;
    EXPECT_EQ(row_batch_reader::open(bytes).error().code, base::errc::corrupt);
}

TEST(row_batch, the_first_row_cannot_refer_to_one_before_it) {
    row_batch_builder builder(table);
    builder.add_put("", "r", {});
    const auto good = builder.take();
    const std::string_view row("\x01\x00\x01r\x00\x00", 6); // flags, partition key, row key, shape, packed row
    ASSERT_TRUE(good.ends_with(row));
    const auto before = good.substr(0, good.size() - row.size());
    EXPECT_TRUE(row_batch_reader::open(before + std::string(row)));
    EXPECT_FALSE(row_batch_reader::open(before + std::string("\x05\x01r\x00\x00", 5)));     // the same partition key
    EXPECT_FALSE(row_batch_reader::open(before + std::string("\x11\x00\x01r\x00", 5)));     // the same shape
    EXPECT_FALSE(row_batch_reader::open(before + std::string("\x21\x00\x01r\x00\x00", 6))); // a flag that means nothing
    EXPECT_FALSE(row_batch_reader::open(before + std::string("\x01\x00\x01r\x01\x00", 6))); // a shape that is not there
}

// The bytes of FORMAT.md; read for ever.
std::string golden_batch() {
    row_batch_builder builder(table);
    const std::vector<property> first{{"load", value::of_real(0.5)}, {"up", value::of_boolean(true)}};
    const std::vector<property> second{{"load", value::of_real(0.25)}, {"up", value::of_boolean(false)}};
    const std::vector<property> note{{"note", value::of_string("hi")}};
    const auto note_shape = shape_of(note);
    std::string note_row;
    pack_row(note, note_row);
    builder.add_put("host=a", "2516", first);
    builder.add(row_kind::merge, "host=a", "2515", second);
    builder.add_row(row_kind::put, collate("\xf0\x9f\x98\x80"), "r", row_view(note_shape, note_row), base::tick{256});
    builder.add_remove("host=a", "2517");
    auto bytes = builder.take();
    set_timestamp(bytes, base::parse_time("2026-11-16T09:30:00Z").value());
    return bytes;
}

TEST(row_batch, version_1_is_written_and_read_as_it_was) {
    std::ifstream file(testing_lib::source_folder() + "/tests/unit/tables/golden/row_batch_v1.bin", std::ios::binary);
    ASSERT_TRUE(file) << "the golden file is missing";
    const std::string golden(std::istreambuf_iterator<char>(file), {});
    EXPECT_EQ(golden, golden_batch());
    const auto batch = row_batch_reader::open(golden).value();
    EXPECT_EQ(batch.table(), table);
    EXPECT_EQ(base::to_text(batch.timestamp()), "2026-11-16T09:30:00Z");
    std::vector<batch_row> rows;
    for (const auto& row : batch) {
        rows.push_back(row);
    }
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[1].kind, row_kind::merge);
    EXPECT_EQ(rows[1].row.find("load")->as_real(), 0.25);
    EXPECT_EQ(uncollate(rows[2].partition_key), "\xf0\x9f\x98\x80");
    EXPECT_EQ(rows[2].timestamp, base::tick{256});
    EXPECT_EQ(rows[3].kind, row_kind::remove);
    EXPECT_EQ(rows[3].partition_key, "host=a");
}

} // namespace
