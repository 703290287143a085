#include "tables/core/limits.hh"

#include <gtest/gtest.h>

#include <deque>

namespace {

using namespace tables;
using base::errc;

template <class T>
std::optional<errc> code_of(const base::expected<T>& checked) {
    return checked ? std::nullopt : std::optional(checked.error().code);
}

// Owns the names of many properties.
struct many_properties {
    std::deque<std::string> names;
    std::vector<property> all;

    void add(value v) {
        names.push_back("p" + std::to_string(names.size()));
        all.push_back({names.back(), v});
    }
};

TEST(limits, table_names) {
    for (std::string_view name : {"abc", "A1b2", "cpu20261117", "Tablesx"}) {
        EXPECT_EQ(code_of(check_table_name(name)), std::nullopt) << name;
    }
    EXPECT_EQ(code_of(check_table_name(std::string(63, 'a'))), std::nullopt);
    EXPECT_EQ(code_of(check_table_name(std::string(64, 'a'))), errc::table_name_length);
    for (std::string_view name : {"", "ab", "-a"}) {
        EXPECT_EQ(code_of(check_table_name(name)), errc::table_name_length) << name;
    }
    for (std::string_view name : {"1ab", "a_b", "a b", "ab\xc3\xa9"}) {
        EXPECT_EQ(code_of(check_table_name(name)), errc::table_name_invalid) << name;
    }
    for (std::string_view name : {"tables", "Tables", "TABLES"}) {
        EXPECT_EQ(code_of(check_table_name(name)), errc::table_name_reserved) << name;
    }
}

TEST(limits, property_names_count_utf16_units) {
    EXPECT_EQ(code_of(check_property_name(std::string(255, 'a'))), std::nullopt);
    EXPECT_EQ(code_of(check_property_name(std::string(256, 'a'))), errc::property_name_too_long);
    std::string two_bytes_each;
    for (int i = 0; i < 255; ++i) {
        two_bytes_each += "\xc3\xa9";
    }
    EXPECT_EQ(code_of(check_property_name(two_bytes_each)), std::nullopt);
    EXPECT_EQ(code_of(check_property_name(two_bytes_each + "e")), errc::property_name_too_long);
    EXPECT_EQ(code_of(check_property_name("123")), errc::property_name_invalid);
}

TEST(limits, strings_and_binaries) {
    std::string emoji;
    for (int i = 0; i < 16'384; ++i) {
        emoji += "\xf0\x9f\x98\x80";
    }
    EXPECT_EQ(code_of(check_value(value::of_string(std::string(32'768, 'a')))), std::nullopt);
    EXPECT_EQ(code_of(check_value(value::of_string(std::string(32'769, 'a')))), errc::property_value_too_large);
    EXPECT_EQ(code_of(check_value(value::of_string(emoji))), std::nullopt);
    EXPECT_EQ(code_of(check_value(value::of_string(emoji + "a"))), errc::property_value_too_large);
    EXPECT_EQ(code_of(check_value(value::of_string("a\xff"))), errc::invalid_argument);
    EXPECT_EQ(code_of(check_value(value::of_binary(std::string(65'536, '\xff')))), std::nullopt);
    EXPECT_EQ(code_of(check_value(value::of_binary(std::string(65'537, '\xff')))), errc::property_value_too_large);
}

TEST(limits, datetimes_lie_between_1601_and_9999) {
    EXPECT_EQ(code_of(check_value(value::of_datetime(base::datetime_min))), std::nullopt);
    EXPECT_EQ(code_of(check_value(value::of_datetime(base::tick{base::datetime_min.value - 1}))), errc::value_out_of_range);
    EXPECT_EQ(code_of(check_value(value::of_datetime(base::tick_max))), std::nullopt);
    EXPECT_EQ(code_of(check_value(value::of_datetime(base::tick{base::tick_max.value + 1}))), errc::value_out_of_range);
}

TEST(limits, size_formula_charges_each_type) {
    const auto size = [](value v) { return property_bytes({"ab", v}) - 8 - 4; };
    EXPECT_EQ(size(value::of_boolean(true)), 1u);
    EXPECT_EQ(size(value::of_int32(1)), 4u);
    EXPECT_EQ(size(value::of_int64(1)), 8u);
    EXPECT_EQ(size(value::of_real(1)), 8u);
    EXPECT_EQ(size(value::of_datetime(base::tick_max)), 8u);
    EXPECT_EQ(size(value::of_guid({})), 16u);
    EXPECT_EQ(size(value::of_string("\xf0\x9f\x98\x80x")), 4u + 2 * 3);
    EXPECT_EQ(size(value::of_binary("abc")), 4u + 3);
    EXPECT_EQ(entity_bytes(10, {}), 24u);
}

TEST(limits, an_entity_of_exactly_one_mebibyte_is_accepted_and_one_byte_more_is_not) {
    many_properties entity;
    const std::string full(65'536, 'b');
    for (int i = 0; i < 15; ++i) {
        entity.add(value::of_binary(full));
    }
    const size_t so_far = entity_bytes(2, entity.all);
    entity.add(value::of_binary(""));
    const size_t own = entity_bytes(2, entity.all) - so_far;
    const std::string rest(entity_bytes_max - so_far - own, 'r');
    entity.all.back().value = value::of_binary(rest);
    ASSERT_EQ(entity_bytes(2, entity.all), entity_bytes_max);
    EXPECT_EQ(code_of(check_entity("p", "r", entity.all)), std::nullopt);
    const auto one_more = rest + "r";
    entity.all.back().value = value::of_binary(one_more);
    EXPECT_EQ(code_of(check_entity("p", "r", entity.all)), errc::entity_too_large);
}

TEST(limits, properties_are_counted) {
    many_properties entity;
    for (int i = 0; i < 252; ++i) {
        entity.add(value::of_int32(i));
    }
    EXPECT_EQ(code_of(check_entity("p", "r", entity.all)), std::nullopt);
    entity.add(value::of_int32(0));
    EXPECT_EQ(code_of(check_entity("p", "r", entity.all)), errc::too_many_properties);
}

TEST(limits, the_error_of_an_entity_says_which_part_is_wrong) {
    const std::vector<property> properties{{"ok", value::of_int32(1)}, {"early", value::of_datetime(base::tick{0})}};
    EXPECT_TRUE(check_entity("a/b", "r", properties).error().detail.contains("PartitionKey"));
    EXPECT_TRUE(check_entity("p", std::string(600, 'r'), properties).error().detail.contains("RowKey"));
    const auto early = check_entity("p", "r", properties).error();
    EXPECT_EQ(early.code, errc::value_out_of_range);
    EXPECT_TRUE(early.detail.contains("early"));
}

TEST(limits, the_bound_is_never_below_the_size) {
    const std::vector<property> properties{{"a", value::of_string("caf\xc3\xa9")},
                                           {"b", value::of_binary("12345")},
                                           {"c", value::of_boolean(true)},
                                           {"d\xc3\xa9", value::of_guid({})}};
    std::string bytes;
    pack_row(properties, bytes);
    const auto s = shape_of(properties);
    EXPECT_GE(entity_bytes_bound(7, row_view(s, bytes)), entity_bytes(7, properties));
}

} // namespace
