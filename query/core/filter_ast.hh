// A parsed filter: a value that can be copied, compared and sent to another shard.
//
// The tree is kept in postfix order, each operator behind its operands: `a eq 1 and not b` is [a eq 1] [b] [not] [and 2].
// So everything that walks it (compiler, key ranges, pruning) is a loop over a vector, never a recursion.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "query/core/filter_limits.hh"
#include "tables/core/value.hh"

namespace query {

enum class comparison : uint8_t { eq, ne, lt, le, gt, ge };

// `5 lt x` is `x gt 5`.
constexpr comparison mirrored(comparison op) {
    switch (op) {
    case comparison::lt: return comparison::gt;
    case comparison::le: return comparison::ge;
    case comparison::gt: return comparison::lt;
    case comparison::ge: return comparison::le;
    default: return op;
    }
}

enum class name_scope : uint8_t {
    any,   // x
    tag,   // tag.x
    field, // field.x
};

// What a condition is about. Names are case-sensitive.
struct subject {
    name_scope scope = name_scope::any;
    std::string name;

    bool operator==(const subject&) const = default;
    auto operator<=>(const subject&) const = default;
};

// A value that owns its bytes.
class literal {
public:
    explicit literal(const tables::value&);

    tables::value_type type() const { return _type; }
    // Borrows from this literal.
    tables::value value() const;
    // What it has allocated beyond itself.
    size_t heap_bytes() const { return _bytes.capacity() <= std::string().capacity() ? 0 : _bytes.capacity() + 1; }
    friend bool operator==(const literal& a, const literal& b) { return identical(a.value(), b.value()); }

private:
    tables::value_type _type;
    uint64_t _bits = 0; // as in tables::value
    std::string _bytes; // string, binary, and the sixteen bytes of a guid
};

enum class node_kind : uint8_t {
    // conditions
    constant, // true, false
    holds,    // a name alone: it is there, Boolean and true
    compare,  // name op literal
    contains, // the four on text: name, string
    starts_with,
    ends_with,
    matches_pattern,
    // operators
    negation,
    conjunction,
    disjunction,
};

struct node {
    node_kind kind;
    comparison op = comparison::eq; // compare
    uint16_t operands_count = 0;    // conjunction, disjunction: how many operands stand before it, at least 2
    uint16_t subject = 0;           // conditions except constant: see filter::subject_of
    uint16_t literal = 0;           // compare and the text tests: see filter::literal_of; constant: 0 or 1

    bool operator==(const node&) const = default;
};

// How numbers of different types stand to each other, see value_order.hh.
enum class number_rule : uint8_t {
    by_type,  // as the Table service has it
    by_value, // as numbers
};

constexpr bool is_condition(node_kind kind) {
    return kind < node_kind::negation;
}

// No nodes: no condition, every row matches.
class filter {
public:
    filter() = default;
    explicit filter(number_rule rule) : _numbers(rule) {}

    number_rule numbers() const { return _numbers; }
    std::span<const node> postfix() const { return _nodes; }
    bool is_empty() const { return _nodes.empty(); }
    const subject& subject_of(const node& n) const { return _subjects[n.subject]; }
    const literal& literal_of(const node& n) const { return _literals[n.literal]; }
    bool operator==(const filter&) const = default;

    // Building, operands before their operator. The caller keeps to filter_nodes_max.
    void add_constant(bool truth);
    void add_holds(subject);
    void add_compare(subject, comparison, const tables::value& against);
    void add_text_test(node_kind, subject, std::string_view argument);
    void add_negation();
    void add_conjunction(size_t operands_count);
    void add_disjunction(size_t operands_count);

private:
    uint16_t keep(subject);
    uint16_t keep(const tables::value&);

    number_rule _numbers = number_rule::by_type;
    std::vector<node> _nodes;
    std::vector<subject> _subjects; // in order of use, not made unique
    std::vector<literal> _literals;
};

} // namespace query
