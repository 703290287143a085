// What a test may do to a simulated disk's operations: fail the n-th of a kind, fail some at random, slow them down, hold them.
#pragma once

#include <cerrno>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/sim/disk_model.hh"

namespace sim {

struct op_filter {
    std::optional<op_kind> kind = {}; // nothing: every kind
    std::string path = "*";           // a shell pattern over the whole path; '*' also matches '/'

    bool matches(op_kind, const std::string& path) const;
};

enum class fault_effect : uint8_t {
    nothing, // as if it had never been tried
    torn,    // the first half of a write's sectors is written
};

struct fault {
    op_filter at;
    uint64_t nth = 1;   // from now on, the first is 1
    uint64_t times = 1; // how many in a row
    int error = EIO;
    fault_effect effect = fault_effect::nothing;
};

struct random_faults {
    op_filter at;
    double probability = 0;
    uint64_t seed = 0;
    int error = EIO;
};

struct injected {
    int error = 0; // 0: goes well
    fault_effect effect = fault_effect::nothing;
};

class fault_plan {
public:
    void add(fault f) { _faults.push_back({std::move(f), 0}); }
    void set(random_faults);
    void clear() { _faults.clear(), _random.reset(); }
    // Counts the operation; to be asked once for each.
    injected next(op_kind, const std::string& path);

private:
    struct counted {
        fault rule;
        uint64_t seen = 0;
    };
    std::vector<counted> _faults;
    std::optional<random_faults> _random;
    std::mt19937_64 _engine;
};

} // namespace sim
