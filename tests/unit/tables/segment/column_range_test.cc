// Blocks that cannot match are told from those that can, and never the other way round.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tables/core/key.hh"
#include "tests/unit/tables/segment/sample_segment.hh"

namespace {

using namespace tables;

value_orders order_of(std::partial_ordering order) {
    return {.less = order < 0, .equal = order == 0, .greater = order > 0, .unordered = order == std::partial_ordering::unordered};
}

// How one stored value stands to a literal of its type.
value_orders order_of(const samples::stored_property& stored, const samples::stored_property& literal) {
    switch (stored.type) {
    case value_type::real: return order_of(std::bit_cast<double>(stored.bits) <=> std::bit_cast<double>(literal.bits));
    case value_type::string: return order_of(collate(stored.bytes) <=> collate(literal.bytes));
    case value_type::binary:
    case value_type::guid: return order_of(stored.bytes <=> literal.bytes);
    default: return order_of(static_cast<int64_t>(stored.bits) <=> static_cast<int64_t>(literal.bits));
    }
}

// A literal near the values there are: one of them, or a bit beside it.
samples::stored_property literal_near(samples::stored_property p, samples::generator& random) {
    switch (random() % 4) {
    case 0: break;
    case 1:
        p.bits += p.type == value_type::boolean || p.type == value_type::int32 ? 0 : 1;
        p.bytes = p.type == value_type::guid ? p.bytes : p.bytes.substr(0, p.bytes.size() / 2);
        break;
    case 2:
        p.bits -= p.type == value_type::boolean || p.type == value_type::int32 ? 0 : 1;
        p.bytes += p.type == value_type::guid ? "" : "z";
        break;
    case 3: p.bits = p.type == value_type::real ? std::bit_cast<uint64_t>(50.0) : p.type == value_type::boolean ? 0 : 7; break;
    }
    return p;
}

TEST(column_ranges, never_rule_out_a_value_that_is_there) {
    for (uint64_t seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE(seed);
        const auto file = samples::build(samples::random_rows(seed), samples::random_options(seed));
        const auto segment = samples::open(file);
        samples::generator random(seed);
        for (size_t b = 0; b < segment.blocks_count(); b += 1 + random() % 5) {
            const auto rows = samples::rows_of(segment, file, b).value();
            std::map<column_id, uint32_t> counts;
            for (const auto& [key, row] : rows) {
                for (const auto& p : row.properties) {
                    const auto id = segment.schema().find(p.name, p.type).value();
                    ++counts[id];
                    const auto range = segment.range(b, id);
                    ASSERT_TRUE(range);
                    const auto literal = literal_near(p, random);
                    const auto possible = orders_in(*range, p.type, literal.view().value);
                    const auto actual = order_of(p, literal);
                    ASSERT_LE(actual.less, possible.less) << p.name;
                    ASSERT_LE(actual.equal, possible.equal) << p.name;
                    ASSERT_LE(actual.greater, possible.greater) << p.name;
                    ASSERT_LE(actual.unordered, possible.unordered) << p.name;
                }
            }
            for (column_id id = 0; id < segment.schema().size(); ++id) {
                const auto range = segment.range(b, id);
                ASSERT_EQ(range ? range->values_count : 0, counts[id]);
            }
        }
    }
}

value_orders orders(std::vector<samples::stored_property> values, const value& literal) {
    samples::model rows;
    for (size_t i = 0; i < values.size(); ++i) {
        rows[{"p", std::to_string(i)}].properties = {values[i]};
    }
    const auto segment = samples::open(samples::build(rows, {}));
    return orders_in(segment.range(0, 0).value(), values[0].type, literal);
}

samples::stored_property real(double v) {
    return {"x", value_type::real, std::bit_cast<uint64_t>(v)};
}

samples::stored_property text(std::string v) {
    return {"x", value_type::string, 0, std::move(v)};
}

TEST(column_ranges, rule_out_what_lies_outside) {
    const std::vector<samples::stored_property> ints{{"x", value_type::int64, 5}, {"x", value_type::int64, 9}};
    EXPECT_FALSE(orders(ints, value::of_int64(4)).equal);
    EXPECT_FALSE(orders(ints, value::of_int64(4)).less);
    EXPECT_TRUE(orders(ints, value::of_int64(5)).equal);
    EXPECT_TRUE(orders(ints, value::of_int32(9)).equal);
    EXPECT_FALSE(orders(ints, value::of_int64(9)).greater);
    EXPECT_FALSE(orders(ints, value::of_int64(10)).greater);
    EXPECT_FALSE(orders({real(-1.5), real(2)}, value::of_real(2.5)).equal);
    EXPECT_FALSE(orders({text("b"), text("d")}, value::of_string("a")).equal);
    EXPECT_FALSE(orders({text("b"), text("d")}, value::of_string("da")).equal);
    EXPECT_FALSE(orders({{"x", value_type::boolean, 1}}, value::of_boolean(false)).equal);
}

TEST(column_ranges, a_nan_is_beside_every_order) {
    const auto nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(orders({real(1), real(nan)}, value::of_real(5)).unordered);
    EXPECT_FALSE(orders({real(1)}, value::of_real(5)).unordered);
    const auto only = orders({real(nan)}, value::of_real(5));
    EXPECT_TRUE(only.unordered);
    EXPECT_FALSE(only.less || only.equal || only.greater);
    EXPECT_TRUE(orders({real(1)}, value::of_real(nan)).unordered);
}

TEST(column_ranges, minus_zero_equals_zero) {
    EXPECT_TRUE(orders({real(-0.0)}, value::of_real(0.0)).equal);
    EXPECT_FALSE(orders({real(-0.0)}, value::of_real(0.0)).less);
    EXPECT_TRUE(orders({real(0.0)}, value::of_real(-0.0)).equal);
}

TEST(column_ranges, a_cut_text_may_go_on) {
    const std::string cut(segment_layout::range_text_bytes_max, 'm');
    const auto long_one = orders({text(cut + "zzz")}, value::of_string(cut));
    EXPECT_TRUE(long_one.greater);
    EXPECT_TRUE(orders({text(cut + "zzz")}, value::of_string(cut + "zzz")).equal);
    EXPECT_FALSE(orders({text(cut)}, value::of_string(cut + "a")).equal) << "this one was not cut";
    EXPECT_FALSE(orders({text(cut + "zzz")}, value::of_string("n")).equal);
}

TEST(column_ranges, texts_are_in_the_order_of_keys) {
    // U+1F600 is below U+FFFD in UTF-16 and above it in bytes.
    const auto between = orders({text("\xf0\x9f\x98\x80")}, value::of_string("\xef\xbf\xbd"));
    EXPECT_TRUE(between.less);
    EXPECT_FALSE(between.greater);
}

} // namespace
