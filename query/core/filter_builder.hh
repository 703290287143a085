// Puts conditions that come in reading order together with `not`, `and`, `or` and parentheses: a filter in postfix, in which
// `and` binds tighter than `or`, `not` tighter than both. Part of the parser.
#pragma once

#include <cstddef>
#include <vector>

#include "query/core/filter_ast.hh"

namespace query {

class filter_builder {
public:
    // Where conditions are added, between begin or join and the end of the condition.
    explicit filter_builder(number_rule rule) : _out(rule) {}

    filter& out() { return _out; }
    bool is_outermost() const { return _groups.size() == 1; }
    // The open parenthesis has nothing in it yet, not even a `not`.
    bool is_untouched() const;

    // A `not` before the condition to come, and an open parenthesis. False: over filter_depth_max.
    bool negate();
    bool open();

    // The condition is complete; an `and` follows, or one of the next two. False: over filter_nodes_max.
    bool end_condition();
    // An `or` follows.
    void end_conjunction();
    // The outermost group, or the open parenthesis, ends after this condition. False as end_condition.
    bool end_group();
    // Behind end_group, or for a parenthesis that is_untouched: back to the group around.
    void close();

    // Depth for parentheses that are no group. False: over filter_depth_max.
    bool enter();
    void leave(size_t levels_count) { _depth -= levels_count; }

private:
    // What is complete in a group is already in the output; these are its counts.
    struct group {
        size_t conjuncts_count = 0; // of the run of `and` that is open
        size_t disjuncts_count = 0; // runs that are complete
        size_t negations_count = 0; // before the condition that is open
    };

    filter _out;
    std::vector<group> _groups{group{}}; // the outermost, then one for each open parenthesis
    size_t _depth = 0;                   // open parentheses and pending negations
};

} // namespace query
