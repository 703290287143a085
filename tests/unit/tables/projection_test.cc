#include "tables/core/projection.hh"

#include <gtest/gtest.h>

namespace {

using namespace tables;

// A row that lies where others were before it.
class reused_row {
public:
    row_view hold(const std::vector<property>& properties) {
        _shape = shape_of(properties);
        _bytes.clear();
        pack_row(properties, _bytes);
        return {_shape, _bytes};
    }

private:
    shape _shape;
    std::string _bytes;
};

bool has(const row_view& row, std::string_view name, const value& wanted) {
    const auto found = row.find(name);
    return found && identical(*found, wanted);
}

TEST(projection, keeps_the_properties_that_are_named) {
    projection cut({"c", "a", "x"});
    reused_row row;
    const auto left =
        cut.apply(row.hold({{"a", value::of_int64(1)}, {"b", value::of_string("gone")}, {"c", value::of_string("stays")}}));
    ASSERT_TRUE(left.is_valid());
    ASSERT_EQ(left.size(), 2u);
    EXPECT_TRUE(has(left, "a", value::of_int64(1)));
    EXPECT_TRUE(has(left, "c", value::of_string("stays")));
}

TEST(projection, a_shape_is_known_by_what_it_is_and_not_by_where_it_lies) {
    projection cut({"y"});
    reused_row row;
    EXPECT_TRUE(has(cut.apply(row.hold({{"x", value::of_int64(1)}, {"y", value::of_int64(2)}})), "y", value::of_int64(2)));
    EXPECT_TRUE(has(cut.apply(row.hold({{"y", value::of_int64(10)}, {"z", value::of_int64(99)}})), "y", value::of_int64(10)));
    EXPECT_TRUE(has(cut.apply(row.hold({{"y", value::of_string("text")}})), "y", value::of_string("text")));
    EXPECT_EQ(cut.apply(row.hold({{"z", value::of_int64(3)}})).size(), 0u);
}

TEST(projection, more_shapes_than_are_remembered_are_cut_all_the_same) {
    projection cut({"y"});
    reused_row row;
    for (int round = 0; round < 2; ++round) {
        for (int64_t i = 0; i < 3'000; ++i) {
            const auto other = "a" + std::to_string(i);
            const auto left = cut.apply(row.hold({{other, value::of_int64(0)}, {"y", value::of_int64(i)}}));
            ASSERT_EQ(left.size(), 1u);
            ASSERT_TRUE(has(left, "y", value::of_int64(i)));
        }
    }
}

} // namespace
