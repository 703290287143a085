#include "tests/sim/faults.hh"

#include <fnmatch.h>

namespace sim {

bool op_filter::matches(op_kind k, const std::string& p) const {
    return (!kind || *kind == k) && ::fnmatch(path.c_str(), p.c_str(), 0) == 0;
}

void fault_plan::set(random_faults faults) {
    _engine.seed(faults.seed);
    _random = std::move(faults);
}

injected fault_plan::next(op_kind kind, const std::string& path) {
    injected result;
    for (auto& [rule, seen] : _faults) {
        if (rule.at.matches(kind, path)) {
            ++seen;
            if (seen >= rule.nth && seen - rule.nth < rule.times) {
                result = {rule.error, rule.effect};
            }
        }
    }
    if (_random && _random->at.matches(kind, path) && std::bernoulli_distribution(_random->probability)(_engine)) {
        result = {_random->error, fault_effect::nothing};
    }
    return result;
}

} // namespace sim
