#include "tables/core/row.hh"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace {

using namespace tables;

constexpr guid some_guid{{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}};

std::vector<property> one_of_each() {
    return {{"a", value::of_string("text")},
            {"b", value::of_boolean(true)},
            {"c", value::of_int32(-5)},
            {"d", value::of_binary(std::string_view("\0\xff", 2))},
            {"e", value::of_int64(std::numeric_limits<int64_t>::min())},
            {"f", value::of_real(std::nan(""))},
            {"g", value::of_datetime(base::tick_max)},
            {"h", value::of_guid(some_guid)},
            {"i", value::of_string("")},
            {"j", value::of_string("last")}};
}

std::string packed(const std::vector<property>& properties) {
    std::string bytes;
    pack_row(properties, bytes);
    return bytes;
}

TEST(row, every_type_comes_back) {
    const auto properties = one_of_each();
    const auto s = shape_of(properties);
    const auto bytes = packed(properties);
    const row_view row(s, bytes);
    ASSERT_TRUE(row.is_valid());
    ASSERT_EQ(row.size(), properties.size());
    for (size_t i = 0; i < properties.size(); ++i) {
        EXPECT_EQ(row[i].name, properties[i].name);
        EXPECT_TRUE(identical(row[i].value, properties[i].value)) << properties[i].name;
        EXPECT_TRUE(identical(row.find(properties[i].name).value(), properties[i].value));
    }
    EXPECT_EQ(row.find("k"), std::nullopt);
    EXPECT_EQ(row.find(""), std::nullopt);
}

TEST(row, the_layout_follows_from_the_shape) {
    const auto s = shape_of(one_of_each());
    EXPECT_EQ(s.fixed_bytes(), 4u + 1 + 4 + 4 + 8 + 8 + 8 + 16 + 4 + 4);
    EXPECT_EQ(s.offset(0), 0u);
    EXPECT_EQ(s.offset(1), 4u);
    EXPECT_EQ(s.offset(9), s.fixed_bytes() - 4);
    EXPECT_EQ(packed(one_of_each()).size(), s.fixed_bytes() + 4 + 2 + 0 + 4);
    EXPECT_FALSE(s.is_fixed());
}

TEST(row, a_row_without_properties_is_empty_and_valid) {
    const auto s = shape_of({});
    EXPECT_TRUE(row_view(s, "").is_valid());
    EXPECT_FALSE(row_view(s, "x").is_valid());
    EXPECT_EQ(row_view(s, "").size(), 0u);
    EXPECT_EQ(row_view().size(), 0u);
    EXPECT_EQ(row_view().find("a"), std::nullopt);
    EXPECT_FALSE(row_view().is_valid());
}

TEST(row, packing_appends) {
    std::string out = "before";
    pack_row(std::vector<property>{{"x", value::of_int32(7)}}, out);
    EXPECT_EQ(out, std::string("before\x07\0\0\0", 10));
}

TEST(row, bytes_that_do_not_fit_the_shape_are_not_valid) {
    const auto s = shape_of(one_of_each());
    const auto good = packed(one_of_each());
    for (size_t size = 0; size < good.size(); ++size) {
        EXPECT_FALSE(row_view(s, good.substr(0, size)).is_valid()) << size;
    }
    EXPECT_FALSE(row_view(s, good + "x").is_valid());

    auto neither_true_nor_false = good;
    neither_true_nor_false[s.offset(1)] = 2;
    EXPECT_FALSE(row_view(s, neither_true_nor_false).is_valid());

    auto backwards = good;
    backwards[s.offset(3)] = 3; // before the end of "text"
    EXPECT_FALSE(row_view(s, backwards).is_valid());

    auto too_far = good;
    too_far[s.offset(9)] = 100;
    EXPECT_FALSE(row_view(s, too_far).is_valid());
}

TEST(row, a_shape_fits_only_the_same_names_and_types) {
    std::vector<property> properties{{"n", value::of_real(1)},
                                     {"name", value::of_real(1)},
                                     {"usage_user", value::of_real(2)},
                                     {"usage_user_of_a_long_name", value::of_real(3)}};
    const auto s = shape_of(properties);
    EXPECT_TRUE(s.is_fixed());
    EXPECT_TRUE(s.fits(properties));
    for (size_t i = 0; i < properties.size(); ++i) {
        auto other_type = properties;
        other_type[i].value = value::of_int64(1);
        EXPECT_FALSE(s.fits(other_type));
        auto last_letter = properties;
        const auto name = std::string(properties[i].name.substr(1)) + "z";
        last_letter[i].name = name;
        EXPECT_FALSE(s.fits(last_letter));
    }
    properties.pop_back();
    EXPECT_FALSE(s.fits(properties));
}

TEST(row, shapes_are_found_by_name_and_compared_by_content) {
    const shape s({{"b", value_type::int32}, {"bb", value_type::string}, {"c", value_type::guid}});
    EXPECT_EQ(s.find("bb"), 1u);
    EXPECT_EQ(s.find("ba"), std::nullopt);
    EXPECT_EQ(s, shape({{"b", value_type::int32}, {"bb", value_type::string}, {"c", value_type::guid}}));
    EXPECT_FALSE(s == shape({{"b", value_type::int32}, {"bb", value_type::binary}, {"c", value_type::guid}}));
    EXPECT_GE(s.heap_bytes(), 3 * sizeof(column));
    EXPECT_EQ(shape_of(one_of_each()).hash(), shape_hash(one_of_each()));
}

} // namespace
