// How long each of many requests took, and the quantiles of that.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace bench {

class latencies {
public:
    using clock = std::chrono::steady_clock;

    void add(clock::duration took) { _ms.push_back(std::chrono::duration<double, std::milli>(took).count()); }
    void add(const latencies& others) { _ms.insert(_ms.end(), others._ms.begin(), others._ms.end()); }
    size_t count() const { return _ms.size(); }

    // 0.99 of them took at most so many ms.
    double at(double part) {
        std::ranges::sort(_ms);
        return _ms.empty() ? 0 : _ms[static_cast<size_t>(part * static_cast<double>(_ms.size() - 1))];
    }

private:
    std::vector<double> _ms;
};

} // namespace bench
