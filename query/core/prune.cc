#include "query/core/prune.hh"

#include <algorithm>
#include <cassert>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "query/core/text_order.hh"
#include "query/core/value_order.hh"

namespace query {
namespace {

using tables::value_type;

// What is possible in some row of the block. Both, where nothing is known.
struct outlook {
    bool can_hold = true;
    bool can_fail = true;
};

// In which orders the values of a column may stand to a literal.
order_set possible_orders(const column_stats& column, const tables::value& literal, number_rule rule) {
    if (column.is_open) {
        return is_comparable(column.min.type(), literal.type(), rule) ? all_orders : order_of(column.min, literal, rule);
    }
    const order_set lowest = order_of(column.min, literal, rule);
    const order_set highest = order_of(column.max, literal, rule);
    order_set orders = lowest | highest;
    if (lowest == set_of(order::less) && highest == set_of(order::greater)) {
        orders |= set_of(order::equal);
    }
    if (column.min.type() == value_type::real && column.may_hold_nan) {
        orders |= order_of(tables::value::of_real(std::numeric_limits<double>::quiet_NaN()), literal, rule);
    }
    return orders;
}

outlook compare_outlook(const column_stats& column, comparison op, const tables::value& literal, number_rule rule) {
    const order_set orders = possible_orders(column, literal, rule);
    return {(orders & accepted_by(op)) != 0, (orders & ~accepted_by(op)) != 0};
}

// Texts with one beginning lie together, and begin with that beginning.
outlook starts_with_outlook(const column_stats& column, std::string_view beginning) {
    const auto min = column.min.as_string();
    const auto max = column.max.as_string();
    const bool is_min_in = min.starts_with(beginning);
    const bool is_max_in = max.starts_with(beginning);
    return {is_min_in || is_max_in || (compare_text(min, beginning) < 0 && compare_text(max, beginning) > 0),
            !is_min_in || !is_max_in};
}

// A text test of a text, or a Boolean that nothing is known of.
bool is_undecided(const node& n, const column_stats& column) {
    const auto type = column.min.type();
    return column.is_open && n.kind != node_kind::compare &&
           type == (n.kind == node_kind::holds ? value_type::boolean : value_type::string);
}

outlook column_outlook(const filter& f, const node& n, const column_stats& column) {
    assert(column.is_open || column.min.type() == column.max.type());
    if (is_undecided(n, column)) {
        return {};
    }
    const auto type = column.min.type();
    switch (n.kind) {
    case node_kind::compare: return compare_outlook(column, n.op, f.literal_of(n).value(), f.numbers());
    case node_kind::holds:
        return type == value_type::boolean ? outlook{column.max.as_boolean(), !column.min.as_boolean()} : outlook{false, true};
    case node_kind::starts_with:
        return type == value_type::string ? starts_with_outlook(column, f.literal_of(n).value().as_string())
                                          : outlook{false, true};
    default: return {type == value_type::string, true};
    }
}

outlook condition_outlook(const filter& f, const node& n, const stats_source& source) {
    if (n.kind == node_kind::constant) {
        return {n.literal != 0, n.literal == 0};
    }
    const auto stats = source.find(f.subject_of(n));
    if (!stats) {
        return {};
    }
    outlook any{false, stats->may_be_missing || stats->columns.empty()};
    for (const auto& column : stats->columns) {
        const auto one = column_outlook(f, n, column);
        any.can_hold |= one.can_hold;
        any.can_fail |= one.can_fail;
    }
    return any;
}

// A conjunction can hold if every operand can; it fails if one can fail. A disjunction the other way round. That the same row
// would have to do it for all operands is left out, which only makes more possible.
outlook joined(std::span<const outlook> operands, node_kind kind) {
    const bool is_and = kind == node_kind::conjunction;
    const auto holds = [](const outlook& o) { return o.can_hold; };
    const auto fails = [](const outlook& o) { return o.can_fail; };
    return {is_and ? std::ranges::all_of(operands, holds) : std::ranges::any_of(operands, holds),
            is_and ? std::ranges::any_of(operands, fails) : std::ranges::all_of(operands, fails)};
}

} // namespace

bool can_match(const filter& f, const stats_source& source) {
    std::vector<outlook> operands;
    operands.reserve(f.postfix().size());
    for (const auto& n : f.postfix()) {
        if (is_condition(n.kind)) {
            operands.push_back(condition_outlook(f, n, source));
        } else if (n.kind == node_kind::negation) {
            std::swap(operands.back().can_hold, operands.back().can_fail);
        } else {
            const auto joint = joined(std::span(operands).last(n.operands_count), n.kind);
            operands.resize(operands.size() - n.operands_count);
            operands.push_back(joint);
        }
    }
    assert(operands.size() <= 1);
    return operands.empty() || operands.back().can_hold;
}

} // namespace query
