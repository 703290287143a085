#include "ingest/core/field_order.hh"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "tables/core/family/property_name.hh"

namespace {

using tables::property;
using tables::value;

std::string names_of(std::span<const property> properties) {
    std::string text;
    for (const auto& p : properties) {
        text += std::string(p.name) + '=' + std::to_string(p.value.as_int64()) + ' ';
    }
    return text;
}

TEST(field_order, properties_are_sorted_and_named) {
    ingest::field_order order;
    for (int round = 0; round < 2; ++round) {
        const std::vector<property> sent{
            {"user", value::of_int64(1 + round)}, {"http.code", value::of_int64(2)}, {"idle", value::of_int64(3)}};
        const auto sorted = order.sort(sent);
        EXPECT_EQ(names_of(*sorted), "http_x002E_code=2 idle=3 user=" + std::to_string(1 + round) + " ");
    }
}

TEST(field_order, the_names_of_the_line_before_are_no_trap) {
    std::mt19937_64 random(7);
    ingest::field_order order;
    for (int i = 0; i < 5'000; ++i) {
        std::vector<std::string> names;
        for (size_t count = 1 + random() % 4; names.size() < count;) {
            auto name = std::string(1 + random() % 2, static_cast<char>('a' + random() % 3)) + (random() % 5 == 0 ? "." : "");
            if (std::ranges::find(names, name) == names.end()) {
                names.push_back(std::move(name));
            }
        }
        std::vector<property> sent;
        std::vector<std::pair<std::string, int64_t>> expected;
        for (const auto& name : names) {
            const auto number = static_cast<int64_t>(random() % 100);
            sent.push_back({name, value::of_int64(number)});
            tables::append_property_name(name, expected.emplace_back("", number).first);
        }
        std::ranges::sort(expected);
        std::string text;
        for (const auto& [name, number] : expected) {
            text += name + '=' + std::to_string(number) + ' ';
        }
        ASSERT_EQ(names_of(*order.sort(sent)), text);
    }
}

TEST(field_order, a_name_too_long_spoils_only_its_own_line) {
    ingest::field_order order;
    const std::string dots(100, '.');
    const std::vector<property> bad{{"a", value::of_int64(1)}, {dots, value::of_int64(2)}};
    const std::vector<property> good{{"a", value::of_int64(1)}};
    EXPECT_EQ(order.sort(bad).error(), ingest::line_fault::property_name_too_long);
    EXPECT_EQ(names_of(*order.sort(good)), "a=1 ");
    EXPECT_EQ(order.sort(bad).error(), ingest::line_fault::property_name_too_long);
}

TEST(field_order, a_number_stands_for_its_names) {
    ingest::field_order order;
    const std::vector<property> one{{"b", value::of_int64(1)}, {"a", value::of_int64(2)}};
    const std::vector<property> other{{"c", value::of_int64(3)}, {"b", value::of_int64(4)}};
    const std::vector<property> bad{{std::string_view("...................................................................."
                                                      "................................................................"),
                                     value::of_int64(1)}};
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(names_of(*order.sort(one, 7)), "a=2 b=1 ");
        EXPECT_EQ(names_of(*order.sort(one, 7)), "a=2 b=1 ");
        EXPECT_EQ(names_of(*order.sort(other, 8)), "b=4 c=3 ");
        EXPECT_EQ(names_of(*order.sort(one)), "a=2 b=1 ");
        EXPECT_EQ(names_of(*order.sort(other, 8)), "b=4 c=3 ");
        EXPECT_FALSE(order.sort(bad, 9));
        EXPECT_FALSE(order.sort(bad, 9));
    }
}

TEST(field_order, texts_are_measured) {
    ingest::field_order order;
    const std::vector<property> sent{{"a", value::of_string("123")}, {"b", value::of_int64(2)}, {"c", value::of_string("45")}};
    ASSERT_TRUE(order.sort(sent));
    EXPECT_EQ(order.text_bytes(), 5u);
}

} // namespace
