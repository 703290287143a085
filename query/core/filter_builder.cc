#include "query/core/filter_builder.hh"

#include <cassert>

namespace query {

bool filter_builder::is_untouched() const {
    const auto& g = _groups.back();
    return g.conjuncts_count == 0 && g.disjuncts_count == 0 && g.negations_count == 0;
}

bool filter_builder::enter() {
    return ++_depth <= filter_depth_max;
}

bool filter_builder::negate() {
    ++_groups.back().negations_count;
    return enter();
}

bool filter_builder::open() {
    _groups.push_back({});
    return enter();
}

bool filter_builder::end_condition() {
    auto& g = _groups.back();
    leave(g.negations_count);
    for (; g.negations_count > 0; --g.negations_count) {
        _out.add_negation();
    }
    ++g.conjuncts_count;
    return _out.postfix().size() + 2 <= filter_nodes_max; // a conjunction and a disjunction may close behind it
}

void filter_builder::end_conjunction() {
    auto& g = _groups.back();
    if (g.conjuncts_count > 1) {
        _out.add_conjunction(g.conjuncts_count);
    }
    g.conjuncts_count = 0;
    ++g.disjuncts_count;
}

bool filter_builder::end_group() {
    if (!end_condition()) {
        return false;
    }
    end_conjunction();
    if (const auto count = _groups.back().disjuncts_count; count > 1) {
        _out.add_disjunction(count);
    }
    return true;
}

void filter_builder::close() {
    assert(!is_outermost());
    _groups.pop_back();
    leave(1);
}

} // namespace query
