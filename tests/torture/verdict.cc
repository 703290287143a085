#include "tests/torture/verdict.hh"

#include <cstdio>

#include <fmt/format.h>

namespace torture {
namespace {

// One broken promise often shows in every row: the first ones of a round are enough to look at.
constexpr size_t printed_violations_max = 20;
constexpr size_t printed_length_max = 4'000;

} // namespace

void verdict::violated(const std::string& promise, const std::string& what) {
    const std::lock_guard lock(_mutex);
    ++_violations_count;
    if (++_printed_count <= printed_violations_max) {
        fmt::print("VIOLATION of {}: {}\n", promise, what.substr(0, printed_length_max));
        std::fflush(stdout);
    }
}

void verdict::begin_round() {
    const std::lock_guard lock(_mutex);
    _printed_count = 0;
}

void verdict::skipped(const std::string& what) {
    const std::lock_guard lock(_mutex);
    if (++_skipped[what] == 1) {
        fmt::print("skipped: {}\n", what);
    }
}

void verdict::count_fault(const std::string& kind) {
    const std::lock_guard lock(_mutex);
    ++_faults[kind];
}

size_t verdict::violations_count() const {
    const std::lock_guard lock(_mutex);
    return _violations_count;
}

std::map<std::string, uint64_t> verdict::faults() const {
    const std::lock_guard lock(_mutex);
    return _faults;
}

} // namespace torture
