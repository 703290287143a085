#include "query/core/value_order.hh"

#include <cmath>

#include "query/core/text_order.hh"

namespace query {
namespace {

using tables::value;
using tables::value_type;

// Without a branch: which way a comparison goes cannot be foretold.
template <class T>
order_set order_between(const T& a, const T& b) {
    const auto ordered = static_cast<order_set>((a < b) | (a == b) << 1 | (a > b) << 2);
    return ordered | static_cast<order_set>((ordered == 0) << 3);
}

constexpr bool is_integer(value_type type) {
    return type == value_type::int32 || type == value_type::int64;
}

int64_t integer(const value& v) {
    return v.type() == value_type::int32 ? v.as_int32() : v.as_int64();
}

constexpr bool is_number(value_type type) {
    return is_integer(type) || type == value_type::real;
}

double number(const value& v) {
    return v.type() == value_type::real ? v.as_real() : static_cast<double>(integer(v));
}

} // namespace

order order_of_values(int64_t whole, double real) {
    constexpr double beyond = 9223372036854775808.0; // 2^63
    if (std::isnan(real)) {
        return order::unordered;
    }
    if (real >= beyond || real < -beyond) {
        return real > 0 ? order::less : order::greater;
    }
    const double floor = std::floor(real);
    const auto below = static_cast<int64_t>(floor);
    return whole < below ? order::less : whole > below ? order::greater : floor < real ? order::less : order::equal;
}

bool is_comparable(value_type stored, value_type literal, number_rule rule) {
    if (rule == number_rule::by_value && is_number(stored)) {
        return is_number(literal);
    }
    switch (stored) {
    case value_type::int64: return is_integer(literal);
    case value_type::real: return is_integer(literal) || literal == value_type::real;
    default: return stored == literal;
    }
}

// Of numbers, by their values.
static order_set order_of_numbers(const value& stored, const value& literal) {
    if (is_integer(stored.type()) && is_integer(literal.type())) {
        return order_between(integer(stored), integer(literal));
    }
    if (stored.type() == literal.type()) {
        return order_between(stored.as_real(), literal.as_real());
    }
    if (is_integer(stored.type())) {
        return set_of(order_of_values(integer(stored), literal.as_real()));
    }
    const auto mirrored = order_of_values(integer(literal), stored.as_real());
    return set_of(mirrored == order::less ? order::greater : mirrored == order::greater ? order::less : mirrored);
}

order_set order_of(const value& stored, const value& literal, number_rule rule) {
    if (!is_comparable(stored.type(), literal.type(), rule)) {
        return set_of(order::less);
    }
    if (rule == number_rule::by_value && is_number(stored.type())) {
        return order_of_numbers(stored, literal);
    }
    switch (stored.type()) {
    case value_type::string: return order_between(compare_text(stored.as_string(), literal.as_string()), 0);
    case value_type::int32: return order_between(stored.as_int32(), literal.as_int32());
    case value_type::int64: return order_between(stored.as_int64(), integer(literal));
    case value_type::real: return order_between(stored.as_real(), number(literal));
    case value_type::boolean: return order_between(stored.as_boolean(), literal.as_boolean());
    case value_type::datetime: return order_between(stored.as_datetime().value, literal.as_datetime().value);
    case value_type::guid: return order_between(stored.as_guid(), literal.as_guid());
    case value_type::binary: return order_between(stored.as_binary(), literal.as_binary());
    }
    return set_of(order::unordered);
}

} // namespace query
