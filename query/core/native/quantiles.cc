#include "query/core/native/quantiles.hh"

#include <algorithm>
#include <cmath>
#include <deque>
#include <ranges>

namespace query {
namespace {

// Of the smallest magnitude that is told from zero.
constexpr double least = 1e-300;
// Above any index of a magnitude, so that bins of positive values lie above 0 and those of negative ones below.
constexpr int32_t offset = 40'000;

const double log_step = std::log((1 + quantile_error) / (1 - quantile_error));

} // namespace

int32_t quantiles::bin_of(double value) {
    const double magnitude = std::abs(value);
    if (magnitude < least) {
        return 0;
    }
    const double bounded = std::min(magnitude, std::numeric_limits<double>::max());
    const int32_t bin = static_cast<int32_t>(std::ceil(std::log(bounded) / log_step)) + offset;
    return value < 0 ? -bin : bin;
}

double quantiles::middle_of(int32_t bin) {
    if (bin == 0) {
        return 0;
    }
    // Between the bounds of the bin, at the point that is equally far from both in proportion to itself.
    const double upper = std::exp((std::abs(bin) - offset) * log_step);
    const double middle = upper * (1 - quantile_error);
    return bin < 0 ? -middle : middle;
}

void quantiles::add(double value) {
    if (_is_sketch) {
        ++_bins[bin_of(value)];
        return;
    }
    if (_pieces.empty()) {
        _pieces.emplace_back();
    } else if (_pieces.back().size() == piece_values_max) {
        _pieces.emplace_back().reserve(piece_values_max);
    }
    _pieces.back().push_back(value);
}

size_t quantiles::bytes() const {
    const size_t values = _pieces.empty() ? 0 : (_pieces.size() - 1) * piece_values_max + _pieces.back().capacity();
    return values * sizeof(double) + _pieces.capacity() * sizeof _pieces[0] + _bins.size() * bin_bytes;
}

void quantiles::condense() {
    _is_sketch = true;
    for (double v : _pieces | std::views::join) {
        ++_bins[bin_of(v)];
    }
    _pieces = {};
}

void quantiles::merge(const quantiles& other) {
    if (other._is_sketch && !_is_sketch) {
        condense();
    }
    for (double v : other._pieces | std::views::join) {
        add(v);
    }
    for (const auto& [bin, count] : other._bins) {
        _bins[bin] += count;
    }
}

std::optional<double> quantiles::at(double rank) const {
    if (!_is_sketch) {
        if (_pieces.empty()) {
            return std::nullopt;
        }
        auto sorted = _pieces | std::views::join | std::ranges::to<std::deque>();
        const auto at = static_cast<size_t>(std::max(std::ceil(rank * static_cast<double>(sorted.size())), 1.0)) - 1;
        std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(at));
        return sorted[at];
    }
    uint64_t total = 0;
    for (const auto& [bin, count] : _bins) {
        total += count;
    }
    const auto wanted = static_cast<uint64_t>(std::max(std::ceil(rank * static_cast<double>(total)), 1.0));
    uint64_t seen = 0;
    for (const auto& [bin, count] : _bins) {
        seen += count;
        if (seen >= wanted) {
            return middle_of(bin);
        }
    }
    return std::nullopt;
}

} // namespace query
