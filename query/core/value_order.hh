// How a stored value stands to a literal: the table of table-service.md 5.2.
//
// The literal widens to the type of the property, never the other way: a Double property compares with any number, an Int64
// property with Int32 and Int64 literals, an Int32 property with Int32 literals. Any other pair of types is a mismatch, and
// then the property counts as less than the literal. A NaN on either side is unordered. An Int64 literal beside a Double is
// rounded to the nearest Double first.
//
// The native dialect compares any number with any number by their values, and rounds none (number_rule::by_value).
#pragma once

#include <cstdint>

#include "query/core/filter_ast.hh"
#include "tables/core/value.hh"

namespace query {

// One bit each, so that a set of them is a byte.
enum class order : uint8_t { less = 1, equal = 2, greater = 4, unordered = 8 };
using order_set = uint8_t;

constexpr order_set set_of(order o) {
    return static_cast<order_set>(o);
}
constexpr order_set all_orders = 15;

// Whether a stored value of that type has an order to such literals; otherwise it counts as less.
bool is_comparable(tables::value_type stored, tables::value_type literal, number_rule);

// A set of one.
order_set order_of(const tables::value& stored, const tables::value& literal, number_rule);

// Of a whole number to a Double, neither rounded.
order order_of_values(int64_t, double);

// The orders that make `stored op literal` true.
constexpr order_set accepted_by(comparison op) {
    constexpr order_set less = set_of(order::less);
    constexpr order_set equal = set_of(order::equal);
    constexpr order_set greater = set_of(order::greater);
    switch (op) {
    case comparison::eq: return equal;
    case comparison::ne: return all_orders & ~equal;
    case comparison::lt: return less;
    case comparison::le: return less | equal;
    case comparison::gt: return greater;
    case comparison::ge: return greater | equal;
    }
    return 0;
}

} // namespace query
