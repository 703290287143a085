#include "query/core/filter_ast.hh"

#include <cassert>
#include <cstring>
#include <limits>

namespace query {

using tables::value;
using tables::value_type;

static_assert(filter_nodes_max + filter_depth_max < std::numeric_limits<uint16_t>::max(), "indexes are 16 bits");
// The largest filter still lives in small allocations, also when the vectors have grown to the next power of two.
static_assert(2'048 * sizeof(literal) <= 128 << 10 && 2'048 * sizeof(subject) <= 128 << 10 && filter_nodes_max <= 2'048);

literal::literal(const tables::value& v) : _type(v.type()) {
    switch (_type) {
    case value_type::string: _bytes = v.as_string(); break;
    case value_type::binary: _bytes = v.as_binary(); break;
    case value_type::int32: _bits = static_cast<uint32_t>(v.as_int32()); break;
    case value_type::int64: _bits = static_cast<uint64_t>(v.as_int64()); break;
    case value_type::real: _bits = std::bit_cast<uint64_t>(v.as_real()); break;
    case value_type::boolean: _bits = v.as_boolean(); break;
    case value_type::datetime: _bits = static_cast<uint64_t>(v.as_datetime().value); break;
    case value_type::guid:
        _bytes.assign(reinterpret_cast<const char*>(v.as_guid().bytes.data()), v.as_guid().bytes.size());
        break;
    }
}

tables::value literal::value() const {
    switch (_type) {
    case value_type::string: return value::of_string(_bytes);
    case value_type::binary: return value::of_binary(_bytes);
    case value_type::int32: return value::of_int32(static_cast<int32_t>(_bits));
    case value_type::int64: return value::of_int64(static_cast<int64_t>(_bits));
    case value_type::real: return value::of_real(std::bit_cast<double>(_bits));
    case value_type::boolean: return value::of_boolean(_bits != 0);
    case value_type::datetime: return value::of_datetime(base::tick{static_cast<int64_t>(_bits)});
    case value_type::guid: break;
    }
    tables::guid g;
    assert(_bytes.size() == g.bytes.size());
    std::memcpy(g.bytes.data(), _bytes.data(), g.bytes.size());
    return value::of_guid(g);
}

uint16_t filter::keep(subject s) {
    assert(_subjects.size() < std::numeric_limits<uint16_t>::max());
    _subjects.push_back(std::move(s));
    return static_cast<uint16_t>(_subjects.size() - 1);
}

uint16_t filter::keep(const tables::value& v) {
    assert(_literals.size() < std::numeric_limits<uint16_t>::max());
    _literals.emplace_back(v);
    return static_cast<uint16_t>(_literals.size() - 1);
}

void filter::add_constant(bool truth) {
    _nodes.push_back({.kind = node_kind::constant, .literal = truth});
}

void filter::add_holds(subject s) {
    _nodes.push_back({.kind = node_kind::holds, .subject = keep(std::move(s))});
}

void filter::add_compare(subject s, comparison op, const tables::value& against) {
    _nodes.push_back({.kind = node_kind::compare, .op = op, .subject = keep(std::move(s)), .literal = keep(against)});
}

void filter::add_text_test(node_kind kind, subject s, std::string_view argument) {
    assert(kind >= node_kind::contains && kind <= node_kind::matches_pattern);
    _nodes.push_back({.kind = kind, .subject = keep(std::move(s)), .literal = keep(value::of_string(argument))});
}

void filter::add_negation() {
    assert(!_nodes.empty());
    _nodes.push_back({.kind = node_kind::negation});
}

void filter::add_conjunction(size_t operands_count) {
    assert(operands_count >= 2 && operands_count <= _nodes.size());
    _nodes.push_back({.kind = node_kind::conjunction, .operands_count = static_cast<uint16_t>(operands_count)});
}

void filter::add_disjunction(size_t operands_count) {
    assert(operands_count >= 2 && operands_count <= _nodes.size());
    _nodes.push_back({.kind = node_kind::disjunction, .operands_count = static_cast<uint16_t>(operands_count)});
}

} // namespace query
