#include "tables/core/resolve.hh"

#include <gtest/gtest.h>

#include <deque>

#include "tables/core/limits.hh"
#include "tests/unit/tables/random_rows.hh"

namespace {

using namespace tables;

// Owns what the versions borrow.
class chain_of_versions {
public:
    void add(row_kind kind, uint64_t sequence, std::vector<property> properties) {
        row_view row;
        if (kind != row_kind::remove) {
            _shapes.push_back(shape_of(properties));
            _packed.emplace_back();
            pack_row(properties, _packed.back());
            row = row_view(_shapes.back(), _packed.back());
        }
        versions.push_back({{sequence}, kind, base::tick{static_cast<int64_t>(sequence * 10)}, row});
    }

    std::vector<row_version> versions; // newest first

private:
    std::deque<shape> _shapes;
    std::deque<std::string> _packed;
};

property number(std::string_view name, int64_t v) {
    return {name, value::of_int64(v)};
}

TEST(resolve, one_version_is_not_copied) {
    chain_of_versions chain;
    chain.add(row_kind::put, 5, {number("a", 1)});
    chain.add(row_kind::put, 4, {number("b", 1)});
    row_resolver resolver;
    const auto row = resolver.resolve({"p", "r"}, chain.versions);
    EXPECT_EQ(row.row.bytes().data(), chain.versions[0].row.bytes().data());
    EXPECT_EQ(row.kind, row_kind::put);
    EXPECT_EQ(row.timestamp, base::tick{50});
}

TEST(resolve, newer_values_win_and_older_names_stay) {
    chain_of_versions chain;
    chain.add(row_kind::merge, 9, {number("b", 9), {"c", value::of_string("nine")}});
    chain.add(row_kind::merge, 8, {number("a", 8), number("b", 8)});
    chain.add(row_kind::put, 7, {number("a", 7), number("c", 7), number("d", 7)});
    chain.add(row_kind::put, 6, {number("e", 6)});
    row_resolver resolver;
    const auto row = resolver.resolve({"p", "r"}, chain.versions);
    EXPECT_EQ(row.kind, row_kind::put);
    EXPECT_EQ(row.timestamp, base::tick{90});
    const std::vector<property> expected{number("a", 8), number("b", 9), {"c", value::of_string("nine")}, number("d", 7)};
    EXPECT_TRUE(tables_test::same(tables_test::properties_of(row.row), expected));
}

TEST(resolve, a_merge_over_a_remove_is_the_whole_entity) {
    chain_of_versions chain;
    chain.add(row_kind::merge, 9, {number("b", 9)});
    chain.add(row_kind::remove, 8, {});
    chain.add(row_kind::put, 7, {number("a", 7)});
    row_resolver resolver;
    const auto row = resolver.resolve({"p", "r"}, chain.versions);
    EXPECT_EQ(row.kind, row_kind::put);
    EXPECT_EQ(row.row.size(), 1u);
}

TEST(resolve, a_remove_leaves_nothing) {
    chain_of_versions chain;
    chain.add(row_kind::remove, 8, {});
    chain.add(row_kind::put, 7, {number("a", 7)});
    row_resolver resolver;
    EXPECT_EQ(resolver.resolve({"p", "r"}, chain.versions).kind, row_kind::remove);
    EXPECT_EQ(resolver.fold({"p", "r"}, chain.versions).kind, row_kind::remove);
    EXPECT_TRUE(resolver.fold({"p", "r"}, chain.versions).properties.empty());
}

TEST(resolve, merges_alone_stay_a_merge) {
    chain_of_versions chain;
    chain.add(row_kind::merge, 9, {number("b", 9)});
    chain.add(row_kind::merge, 8, {number("a", 8)});
    row_resolver resolver;
    const auto row = resolver.resolve({"p", "r"}, chain.versions);
    EXPECT_EQ(row.kind, row_kind::merge);
    EXPECT_EQ(row.row.size(), 2u);
}

TEST(resolve, an_empty_merge_only_moves_the_timestamp) {
    chain_of_versions chain;
    chain.add(row_kind::merge, 9, {});
    chain.add(row_kind::put, 8, {number("a", 8)});
    row_resolver resolver;
    const auto row = resolver.resolve({"p", "r"}, chain.versions);
    EXPECT_EQ(row.timestamp, base::tick{90});
    EXPECT_EQ(row.row.find("a")->as_int64(), 8);
}

TEST(resolve, folding_in_parts_is_folding_at_once) {
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE(seed);
        tables_test::random_rows rows(seed);
        chain_of_versions chain;
        for (uint64_t i = 9; i > 0; --i) {
            chain.add(row_kind::merge, i, rows.properties(6));
        }
        row_resolver whole;
        const auto at_once = whole.resolve({"p", "r"}, chain.versions);
        const size_t cut = 1 + rows.random() % 8;
        row_resolver lower;
        const auto older = lower.resolve({"p", "r"}, std::span(chain.versions).subspan(cut));
        std::vector<row_version> in_parts(chain.versions.begin(), chain.versions.begin() + static_cast<ptrdiff_t>(cut));
        in_parts.push_back({{0}, older.kind, older.timestamp, older.row});
        row_resolver upper;
        const auto then = upper.resolve({"p", "r"}, in_parts);
        EXPECT_EQ(then.row.bytes(), at_once.row.bytes());
        EXPECT_EQ(then.row.of_shape(), at_once.row.of_shape());
        EXPECT_EQ(then.timestamp, at_once.timestamp);
    }
}

TEST(resolve, a_resolver_is_used_for_rows_of_different_shapes) {
    row_resolver resolver;
    for (int i = 0; i < 3; ++i) {
        chain_of_versions one;
        one.add(row_kind::merge, 2, {number("a", i)});
        one.add(row_kind::put, 1, {number("b", i)});
        EXPECT_EQ(resolver.resolve({"p", "r"}, one.versions).row.find("b")->as_int64(), i);
        chain_of_versions other;
        other.add(row_kind::merge, 2, {{"a", value::of_string("text")}});
        other.add(row_kind::put, 1, {number("b", i)});
        EXPECT_EQ(resolver.resolve({"p", "r"}, other.versions).row.find("a")->as_string(), "text");
    }
}

// Sixteen of them fit into an entity, seventeen do not.
const std::string large(65'000, 'b');

std::vector<property> sixteen_large() {
    static constexpr std::string_view names = "abcdefghijklmnop";
    std::vector<property> properties;
    for (size_t i = 0; i < names.size(); ++i) {
        properties.push_back({names.substr(i, 1), value::of_binary(large)});
    }
    return properties;
}

TEST(resolve, a_full_entity_takes_a_new_value_in_the_place_of_an_old_one) {
    const std::string other(65'000, 'c');
    chain_of_versions chain;
    chain.add(row_kind::merge, 9, {{"d", value::of_binary(other)}});
    chain.add(row_kind::put, 8, sixteen_large());
    row_resolver resolver;
    const auto row = resolver.resolve({"p", "r"}, chain.versions);
    EXPECT_EQ(row.row.find("d")->as_binary(), other);
    EXPECT_EQ(row.row.size(), 16u);
    EXPECT_EQ(resolver.dropped_count(), 0u);
}

TEST(resolve, what_has_no_room_is_dropped_and_counted) {
    auto full = sixteen_large();
    full[3].value = value::of_binary("small");
    chain_of_versions chain;
    chain.add(row_kind::merge, 9, {{"d", value::of_binary(large)}, {"z", value::of_binary(large)}});
    chain.add(row_kind::put, 8, full);
    row_resolver resolver;
    const auto row = resolver.resolve({"p", "r"}, chain.versions);
    EXPECT_EQ(row.row.find("d")->as_binary(), large);
    EXPECT_FALSE(row.row.find("z"));
    EXPECT_EQ(resolver.dropped_count(), 1u);
    EXPECT_LE(entity_bytes(2, tables_test::properties_of(row.row)), entity_bytes_max);
}

TEST(resolve, an_old_value_stays_where_the_new_one_has_no_room) {
    auto full = sixteen_large();
    full.push_back({"q", value::of_binary("small")});
    chain_of_versions chain;
    chain.add(row_kind::merge, 9, {{"q", value::of_binary(large)}});
    chain.add(row_kind::put, 8, full);
    row_resolver resolver;
    const auto row = resolver.resolve({"p", "r"}, chain.versions);
    EXPECT_EQ(row.row.find("q")->as_binary(), "small");
    EXPECT_EQ(row.row.size(), 17u);
    EXPECT_EQ(resolver.dropped_count(), 1u);
}

} // namespace
