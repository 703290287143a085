#include "query/core/native/column_filter.hh"

#include <algorithm>

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
    filter one;
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

// What value_order.hh says of a property of this type beside the literal: a scalar to compare with, or that it is always less.
enum class pairing : uint8_t { by_value, always_less, unknown };

pairing pair_up(value_type stored, const tables::value& against, std::shared_ptr<arrow::Scalar>& scalar) {
    const auto literal = against.type();
    const bool is_integer = literal == value_type::int32 || literal == value_type::int64;
    const auto integer = [&] { return literal == value_type::int32 ? against.as_int32() : against.as_int64(); };
    if (stored == value_type::real && is_number(literal)) {
        scalar = std::make_shared<arrow::DoubleScalar>(is_integer ? static_cast<double>(integer()) : against.as_real());
        return pairing::by_value;
    }
    if ((stored == value_type::int64 && is_integer) || (stored == value_type::int32 && literal == value_type::int32)) {
        scalar = std::make_shared<arrow::Int64Scalar>(integer());
        return pairing::by_value;
    }
    return stored == literal ? pairing::unknown : pairing::always_less;
}

// Without nulls: a row that does not have the property fails.
std::optional<arrow::Datum> compare(const typed_array& column, const node& n, const tables::value& against, size_t begin, size_t end) {
    const auto values = column.values->Slice(static_cast<int64_t>(begin), static_cast<int64_t>(end - begin));
    std::shared_ptr<arrow::Scalar> scalar;
    switch (pair_up(column.type, against, scalar)) {
    case pairing::unknown: return std::nullopt;
    case pairing::always_less: {
        const auto is_there = call("is_valid", {values});
        const arrow::Datum accepts(std::make_shared<arrow::BooleanScalar>((accepted_by(n.op) & set_of(order::less)) != 0));
        return is_there ? call("and", {*is_there, accepts}) : std::nullopt;
    }
    case pairing::by_value: break;
    }
    const auto mask = call(kernel_of(n.op), {values, scalar});
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
        const bool is_special = about.scope == name_scope::any && (about.name == "time" || about.name == "level" || about.name == name(from.kind) ||
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
    const auto& n = l.condition.postfix()[0];
    part_result result;
    for (const auto& column : columns[*l.column]) {
        auto mask = compare(column, n, l.condition.literal_of(n).value(), begin, end);
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
        auto mask = joined.mask.is_array() ? call(is_and ? "and" : "or", {joined.mask, operand.mask}) : std::optional(operand.mask);
        if (!mask) {
            return std::nullopt;
        }
        joined.mask = std::move(*mask);
    }
    return joined;
}

std::optional<column_filter::selection> column_filter::select(std::string_view partition_key,
                                                              std::span<const std::vector<typed_array>> columns, size_t begin, size_t end) {
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
