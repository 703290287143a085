// The bounds of the filter language. A filter comes from a stranger: each number keeps one kind of work small.
#pragma once

#include <cstddef>

namespace query {

constexpr size_t filter_bytes_max = 64 << 10; // as much as a URL can carry
constexpr size_t filter_nodes_max = 2'000;    // conditions, `not`, and runs of `and` / `or`
constexpr size_t filter_depth_max = 100;      // parentheses and `not` around one condition

// matchesPattern: RE2 runs in linear time, so what is left to bound is the size of a pattern and how many there are.
constexpr size_t patterns_count_max = 16;
constexpr size_t pattern_bytes_max = 1 << 10;
constexpr size_t pattern_memory_bytes_max = 1 << 20; // program and automaton cache of one pattern
constexpr size_t pattern_instructions_max = 2'000;   // steps for one byte, where the cache does not help; \pL+ has 1,242

} // namespace query
