#include "tables/core/transaction.hh"

#include <map>

#include <gtest/gtest.h>

#include "tables/core/limits.hh"

namespace {

using namespace tables;
using base::errc;
using kind = operation_kind;

// One entity that is there: row "old" of partition "p", Timestamp 100, properties a=1 and b=2.
class transaction_test : public ::testing::Test {
protected:
    transaction_test() { pack_row(_properties, _packed); }

    std::optional<current_entity> find(std::string_view pk, std::string_view rk) {
        if (pk == "p" && rk == "old") {
            return current_entity{base::tick{100}, row_view(_shape, _packed)};
        }
        return std::nullopt;
    }

    void add(kind k, std::string row_key, std::vector<property> properties = {{"c", value::of_int32(3)}},
             std::optional<base::tick> if_match = {}) {
        if (k == kind::remove) {
            builder.add_remove("p", row_key);
        } else {
            builder.add_put("p", row_key, properties);
        }
        operations.push_back({k, if_match});
    }

    auto decide_now() {
        const auto rows = row_batch_reader::open(builder.bytes());
        return tables::decide(*rows, operations, [this](auto pk, auto rk) { return find(pk, rk); });
    }
    errc error_of(kind k, std::string row_key, std::optional<base::tick> if_match = {}) {
        builder = row_batch_builder(base::table_id{1});
        operations.clear();
        add(k, row_key, {{"c", value::of_int32(3)}}, if_match);
        auto result = decide_now();
        return result ? errc::io_error : result.error().error.code; // io_error stands for "none" here
    }

    row_batch_builder builder{base::table_id{1}};
    std::vector<operation> operations;

private:
    std::vector<property> _properties{{"a", value::of_int32(1)}, {"b", value::of_int32(2)}};
    shape _shape = shape_of(_properties);
    std::string _packed;
};

constexpr errc none = errc::io_error;

TEST_F(transaction_test, conditions_follow_the_table_of_the_service) {
    const base::tick right{100};
    const base::tick wrong{99};
    EXPECT_EQ(error_of(kind::insert, "new"), none);
    EXPECT_EQ(error_of(kind::insert, "old"), errc::entity_exists);
    for (auto k : {kind::insert_or_replace, kind::insert_or_merge}) {
        EXPECT_EQ(error_of(k, "new"), none);
        EXPECT_EQ(error_of(k, "old"), none);
    }
    for (auto k : {kind::replace, kind::merge, kind::remove}) {
        EXPECT_EQ(error_of(k, "new"), errc::entity_not_found);
        EXPECT_EQ(error_of(k, "new", right), errc::entity_not_found);
        EXPECT_EQ(error_of(k, "old"), none);
        EXPECT_EQ(error_of(k, "old", right), none);
        EXPECT_EQ(error_of(k, "old", wrong), errc::condition_not_met);
    }
}

TEST_F(transaction_test, without_a_merge_the_batch_is_written_as_it_is) {
    add(kind::insert, "new");
    add(kind::remove, "old");
    auto result = decide_now();
    ASSERT_TRUE(result);
    EXPECT_FALSE(result->has_value());
}

TEST_F(transaction_test, a_merge_rewrites_the_batch_and_keeps_the_other_rows) {
    add(kind::insert, "first");
    add(kind::insert_or_merge, "old", {{"b", value::of_real(2.5)}, {"z", value::of_string("x")}});
    add(kind::insert, "last");
    auto result = decide_now();
    ASSERT_TRUE(result && result->has_value());
    const auto rows = row_batch_reader::open(**result);
    ASSERT_TRUE(rows);
    std::map<std::string, std::vector<std::string>> found;
    for (const auto& row : *rows) {
        EXPECT_EQ(row.kind, row_kind::put);
        for (size_t i = 0; i < row.row.size(); ++i) {
            found[std::string(row.row_key)].emplace_back(row.row[i].name);
        }
        if (row.row_key == "old") {
            EXPECT_EQ(row.row.find("a")->as_int32(), 1) << "what the merge does not name stays";
            EXPECT_EQ(row.row.find("b")->as_real(), 2.5) << "the newer value counts, with its type";
        }
    }
    EXPECT_EQ(found["old"], (std::vector<std::string>{"a", "b", "z"}));
    EXPECT_EQ(found.size(), 3u);
}

TEST_F(transaction_test, a_merge_over_the_limits_fails_with_its_index) {
    std::vector<std::string> names;
    for (size_t i = 0; i < properties_max - 1; ++i) {
        names.push_back("p" + std::to_string(1000 + i));
    }
    std::vector<property> properties;
    for (const auto& name : names) {
        properties.push_back({name, value::of_boolean(true)});
    }
    add(kind::insert, "new");
    add(kind::merge, "old", properties);
    auto result = decide_now();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().error.code, errc::too_many_properties);
    EXPECT_EQ(result.error().index, 1u);
}

TEST_F(transaction_test, a_merge_over_one_mebibyte_fails) {
    const std::string big(32'768, 'x');
    std::vector<std::string> names;
    for (int i = 0; i < 16; ++i) {
        names.push_back("p" + std::to_string(10 + i));
    }
    std::vector<property> properties;
    for (const auto& name : names) {
        properties.push_back({name, value::of_string(big)});
    }
    add(kind::merge, "old", properties);
    auto result = decide_now();
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().error.code, errc::entity_too_large);
}

errc shape_error(const row_batch_builder& builder, const std::vector<operation>& operations) {
    auto result = check_transaction(*row_batch_reader::open(builder.bytes()), operations);
    return result ? none : result.error().error.code;
}

TEST_F(transaction_test, one_partition_each_row_once_at_most_a_hundred) {
    EXPECT_EQ(shape_error(builder, operations), errc::transaction_empty);
    add(kind::insert, "a");
    add(kind::insert, "b");
    EXPECT_EQ(shape_error(builder, operations), none);
    add(kind::insert, "a");
    EXPECT_EQ(shape_error(builder, operations), errc::transaction_duplicate_row);
}

TEST_F(transaction_test, two_partitions_are_refused_at_the_first_offender) {
    add(kind::insert, "a");
    builder.add_put("q", "b", {});
    operations.push_back({kind::insert, {}});
    auto result = check_transaction(*row_batch_reader::open(builder.bytes()), operations);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().error.code, errc::transaction_partitions);
    EXPECT_EQ(result.error().index, 1u);
}

TEST_F(transaction_test, a_hundred_operations_pass_and_one_more_does_not) {
    for (int i = 0; i < 100; ++i) {
        add(kind::insert, std::to_string(i));
    }
    EXPECT_EQ(shape_error(builder, operations), none);
    add(kind::insert, "one more");
    EXPECT_EQ(shape_error(builder, operations), errc::transaction_too_long);
}

// Together they would not fit into one record of the log.
TEST_F(transaction_test, merges_of_large_entities_stay_merges_where_all_of_them_would_be_too_much) {
    const std::string part(60'000, 'x');
    std::vector<std::string> names;
    for (int i = 0; i < 15; ++i) {
        names.push_back("p" + std::to_string(10 + i));
    }
    std::vector<property> large;
    for (const auto& name : names) {
        large.push_back({name, value::of_binary(part)});
    }
    const auto large_shape = shape_of(large);
    std::string packed;
    pack_row(large, packed);
    for (int i = 0; i < 100; ++i) {
        add(kind::merge, "row" + std::to_string(100 + i));
    }
    const auto rows = row_batch_reader::open(builder.bytes());
    const auto result = tables::decide(*rows, operations, [&](auto, auto) {
        return std::optional(current_entity{base::tick{100}, row_view(large_shape, packed)});
    });
    ASSERT_TRUE(result && result->has_value());
    EXPECT_LE((*result)->size(), whole_rows_bytes_max + transaction_bytes_max);
    std::map<row_kind, int> kinds;
    for (const auto& row : *row_batch_reader::open(**result)) {
        EXPECT_EQ(row.row.find("c")->as_int32(), 3);
        EXPECT_EQ(row.row.size(), row.kind == row_kind::put ? 16u : 1u);
        ++kinds[row.kind];
    }
    EXPECT_GT(kinds[row_kind::put], 0) << "what fits is written whole";
    EXPECT_EQ(kinds[row_kind::put] + kinds[row_kind::merge], 100);
}

} // namespace
