#include "query/core/native/quantiles.hh"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <ranges>

namespace query {
namespace {

// Of the smallest magnitude that is told from zero.
constexpr double least = 1e-300;
// Above any index of a magnitude, so that bins of positive values lie above 0 and those of negative ones below.
constexpr int32_t offset = 40'000;

// The doubles from minus to plus infinity, in their order, by number.
double from_ordered(uint64_t n) {
    constexpr uint64_t sign = uint64_t{1} << 63;
    const double value = std::bit_cast<double>((n & sign) != 0 ? n & ~sign : ~n);
    return !std::isnan(value) ? value
           : (n & sign) != 0  ? std::numeric_limits<double>::infinity()
                              : -std::numeric_limits<double>::infinity();
}

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
        std::ranges::sort(_pieces.back());
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
    const size_t full = other._pieces.empty() ? 0 : other._pieces.size() - 1;
    if (!_is_sketch && full > 0) {
        _pieces.insert(_pieces.begin(), other._pieces.begin(), other._pieces.begin() + static_cast<std::ptrdiff_t>(full));
    }
    for (double v : other._pieces | std::views::drop(_is_sketch ? 0 : full) | std::views::join) {
        add(v);
    }
    for (const auto& [bin, count] : other._bins) {
        _bins[bin] += count;
    }
}

size_t quantiles::count_up_to(double value, std::span<const double> last_piece) const {
    const auto count = [value](std::span<const double> sorted) {
        return static_cast<size_t>(std::ranges::upper_bound(sorted, value) - sorted.begin());
    };
    size_t all = count(last_piece);
    for (const auto& piece : _pieces | std::views::take(_pieces.size() - 1)) {
        all += count(piece);
    }
    return all;
}

std::optional<double> quantiles::at(double rank) const {
    if (!_is_sketch) {
        if (_pieces.empty()) {
            return std::nullopt;
        }
        auto last = _pieces.back();
        const size_t total = (_pieces.size() - 1) * piece_values_max + last.size();
        const auto wanted = static_cast<size_t>(std::max(std::ceil(rank * static_cast<double>(total)), 1.0));
        if (_pieces.size() == 1) {
            std::ranges::nth_element(last, last.begin() + static_cast<std::ptrdiff_t>(wanted - 1));
            return last[wanted - 1];
        }
        std::ranges::sort(last);
        // The least number that so many do not exceed is one of them. Millions of values are not looked at one by one.
        uint64_t low = 0;
        for (uint64_t high = UINT64_MAX; low < high;) {
            const uint64_t middle = low + (high - low) / 2;
            count_up_to(from_ordered(middle), last) >= wanted ? high = middle : low = middle + 1;
        }
        return from_ordered(low) + 0.0; // no -0.0 where it is 0.0 that occurs
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
