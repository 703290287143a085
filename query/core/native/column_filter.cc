#include "query/core/native/column_filter.hh"

#include <algorithm>
#include <cmath>
#include <limits>

#include <arrow/compute/api.h>
#include <arrow/compute/initialize.h>
#include <arrow/scalar.h>

#include "query/core/native/stored_columns.hh"
#include "query/core/value_order.hh"

namespace query {
namespace {

using tables::typed_array;
using tables::value_type;
namespace compute = arrow::compute;

filter only(const filter& all, const node& n) {
    filter one(all.numbers());
    switch (n.kind) {
    case node_kind::constant: one.add_constant(n.literal != 0); break;
    case node_kind::holds: one.add_holds(all.subject_of(n)); break;
    case node_kind::compare: one.add_compare(all.subject_of(n), n.op, all.literal_of(n).value()); break;
    default: one.add_text_test(n.kind, all.subject_of(n), all.literal_of(n).value().as_string()); break;
    }
    return one;
}

// It is the one of a filter that has been compiled before.
program compiled(const filter& f) {
    auto made = program::compile(f);
    return std::move(*made);
}

bool is_number(value_type t) {
    return t == value_type::int32 || t == value_type::int64 || t == value_type::real;
}

const char* kernel_of(comparison op) {
    switch (op) {
    case comparison::eq: return "equal";
    case comparison::ne: return "not_equal";
    case comparison::lt: return "less";
    case comparison::le: return "less_equal";
    case comparison::gt: return "greater";
    case comparison::ge: return "greater_equal";
    }
    return "";
}

// Kernels work on the calling core, with memory of the process's allocator, and fail only for types they do not have.
std::optional<arrow::Datum> call(const char* kernel, const std::vector<arrow::Datum>& arguments) {
    static const auto initialized = compute::Initialize();
    compute::ExecContext context(arrow::system_memory_pool());
    context.set_use_threads(false);
    auto result = compute::CallFunction(kernel, arguments, &context);
    return initialized.ok() && result.ok() ? std::optional(std::move(*result)) : std::nullopt;
}

// What value_order.hh says of properties of one type beside the literal: a comparison that a kernel has, or the one order in
// which all of them stand to it.
struct pairing {
    comparison op;
    std::shared_ptr<arrow::Scalar> scalar; // null: see order
    order always = order::less;
};

pairing by_value(comparison op, int64_t literal) {
    return {op, std::make_shared<arrow::Int64Scalar>(literal)};
}
pairing by_value(comparison op, double literal) {
    return {op, std::make_shared<arrow::DoubleScalar>(literal)};
}

// A literal that no value of the column's type is equal to lies between two of them, of which this is the lower one.
template <class Number>
pairing between(comparison op, Number below) {
    switch (op) {
    case comparison::eq:
    case comparison::ne: return {op, {}, order::less};
    case comparison::lt:
    case comparison::le: return by_value(comparison::le, below);
    default: return by_value(comparison::gt, below);
    }
}

pairing whole_beside(comparison op, double literal) {
    const auto of_least = order_of_values(INT64_MIN, literal);
    const auto of_greatest = order_of_values(INT64_MAX, literal);
    if (of_least == of_greatest) {
        return {op, {}, of_least}; // the literal is beyond all of them, or NaN
    }
    const double floor = std::floor(literal);
    const auto below = static_cast<int64_t>(floor);
    return floor == literal ? by_value(op, below) : between(op, below);
}

pairing real_beside(comparison op, int64_t literal) {
    const auto nearest = static_cast<double>(literal);
    switch (order_of_values(literal, nearest)) {
    case order::equal: return by_value(op, nearest);
    case order::less: return between(op, std::nextafter(nearest, -std::numeric_limits<double>::infinity()));
    default: return between(op, nearest);
    }
}

std::optional<pairing> pair_up(value_type stored, comparison op, const tables::value& against, number_rule rule) {
    const auto literal = against.type();
    if (!is_comparable(stored, literal, rule)) {
        return pairing{op, {}, order::less};
    }
    if (!is_number(stored)) {
        return std::nullopt;
    }
    if (literal == value_type::real) {
        return stored == value_type::real ? by_value(op, against.as_real()) : whole_beside(op, against.as_real());
    }
    const int64_t whole = literal == value_type::int32 ? against.as_int32() : against.as_int64();
    if (stored != value_type::real) {
        return by_value(op, whole);
    }
    return rule == number_rule::by_value ? real_beside(op, whole) : by_value(op, static_cast<double>(whole));
}

// Without nulls: a row that does not have the property fails.
std::optional<arrow::Datum> compare(const typed_array& column, const filter& f, size_t begin, size_t end) {
    const auto values = column.values->Slice(static_cast<int64_t>(begin), static_cast<int64_t>(end - begin));
    const auto& n = f.postfix()[0];
    const auto pair = pair_up(column.type, n.op, f.literal_of(n).value(), f.numbers());
    if (!pair) {
        return std::nullopt;
    }
    if (!pair->scalar) {
        const auto is_there = call("is_valid", {values});
        const arrow::Datum accepts(std::make_shared<arrow::BooleanScalar>((accepted_by(n.op) & set_of(pair->always)) != 0));
        return is_there ? call("and", {*is_there, accepts}) : std::nullopt;
    }
    const auto mask = call(kernel_of(pair->op), {values, pair->scalar});
    return mask ? call("coalesce", {*mask, std::make_shared<arrow::BooleanScalar>(false)}) : std::nullopt;
}

} // namespace

column_filter::leaf::leaf(filter f, const origin& from, unsigned spread)
    : condition(std::move(f)), test(compiled(condition)), matcher(test, from, spread) {}

size_t column_filter::column_for(std::string name) {
    const auto found = std::ranges::find(_columns, name);
    if (found != _columns.end()) {
        return static_cast<size_t>(found - _columns.begin());
    }
    _columns.push_back(std::move(name));
    return _columns.size() - 1;
}

column_filter::column_filter(const plan& p, uint32_t index) : _where(p.asked.where) {
    const auto& part = p.parts[index];
    const auto& from = p.origin_of(part);
    for (const auto& n : _where.postfix()) {
        if (!is_condition(n.kind)) {
            continue;
        }
        auto& made = *_leaves.emplace_back(std::make_unique<leaf>(only(_where, n), from, part.spread));
        const bool is_comparison = n.kind == node_kind::compare;
        const auto& about = is_comparison ? _where.subject_of(n) : subject();
        // Names that mean something else than a property in some table, or are compared in a way of their own.
        const bool is_special = about.scope == name_scope::any &&
                                (about.name == "time" || about.name == "level" || about.name == name(from.kind) ||
                                 about.name == "PartitionKey" || about.name == "RowKey" || about.name == "Timestamp");
        if (is_comparison && !is_special && about.scope != name_scope::tag) {
            if (auto stored = stored_name(from.kind, about.name)) {
                made.column = column_for(std::move(*stored));
            }
        }
    }
}

std::optional<column_filter::part_result> column_filter::test(leaf& l, std::string_view partition_key,
                                                              std::span<const std::vector<typed_array>> columns, size_t begin,
                                                              size_t end) {
    if (const auto known = l.matcher.enter(partition_key); known != verdict::depends) {
        return part_result{known == verdict::yes, {}};
    }
    if (!l.column) {
        return std::nullopt;
    }
    part_result result;
    for (const auto& column : columns[*l.column]) {
        auto mask = compare(column, l.condition, begin, end);
        if (mask && result.mask.is_array()) {
            mask = call("or", {result.mask, *mask});
        }
        if (!mask) {
            return std::nullopt;
        }
        result.mask = std::move(*mask);
    }
    return result; // no column: no row has it, and all fail
}

// A constant operand decides all, or does not matter.
std::optional<column_filter::part_result> column_filter::join(node_kind kind, std::span<const part_result> operands) {
    if (kind == node_kind::negation) {
        const auto& only = operands.front();
        if (!only.mask.is_array()) {
            return part_result{!only.is_true, {}};
        }
        return call("invert", {only.mask}).transform([](arrow::Datum mask) { return part_result{false, std::move(mask)}; });
    }
    const bool is_and = kind == node_kind::conjunction;
    part_result joined{is_and, {}};
    for (const auto& operand : operands) {
        if (!operand.mask.is_array()) {
            if (operand.is_true != is_and) {
                return operand;
            }
            continue;
        }
        auto mask =
            joined.mask.is_array() ? call(is_and ? "and" : "or", {joined.mask, operand.mask}) : std::optional(operand.mask);
        if (!mask) {
            return std::nullopt;
        }
        joined.mask = std::move(*mask);
    }
    return joined;
}

std::optional<column_filter::selection> column_filter::select(std::string_view partition_key,
                                                              std::span<const std::vector<typed_array>> columns, size_t begin,
                                                              size_t end) {
    std::vector<part_result> stack;
    auto next_leaf = _leaves.begin();
    for (const auto& n : _where.postfix()) {
        if (is_condition(n.kind)) {
            auto result = test(**next_leaf++, partition_key, columns, begin, end);
            if (!result) {
                return std::nullopt;
            }
            stack.push_back(std::move(*result));
            continue;
        }
        const size_t count = n.kind == node_kind::negation ? 1 : n.operands_count;
        auto joined = join(n.kind, std::span(stack).last(count));
        if (!joined) {
            return std::nullopt;
        }
        stack.resize(stack.size() - count);
        stack.push_back(std::move(*joined));
    }
    if (stack.empty()) {
        return selection{.is_all = true};
    }
    auto& outcome = stack.back();
    if (!outcome.mask.is_array()) {
        return selection{.is_all = outcome.is_true};
    }
    return selection{.rows = std::static_pointer_cast<arrow::BooleanArray>(outcome.mask.make_array())};
}

} // namespace query
