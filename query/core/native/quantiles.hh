// Percentiles of a set of numbers: exact while the values are kept, and within a stated bound once they are not.
//
// The sketch counts values in ranges that grow by a constant factor (DDSketch), so an estimate is off by at most
// `quantile_error` of the value itself, whatever the distribution; sketches add up.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace query {

constexpr double quantile_error = 0.01;

class quantiles {
public:
    void add(double value); // not NaN
    void merge(const quantiles&);
    // Gives up the values for a sketch.
    void condense();

    bool is_exact() const { return !_is_sketch; }
    // What it has allocated, about.
    size_t bytes() const;
    // The value that a share of `rank` (0..1] of all values do not exceed: one that occurs, while exact.
    std::optional<double> at(double rank) const;

private:
    static constexpr size_t bin_bytes = 64;
    // In pieces: there may be millions of sets with one value, or one set with millions.
    static constexpr size_t piece_values_max = 8'192;
    // Sorts as the values do: negative ones below zero, larger magnitudes further out.
    static int32_t bin_of(double value);
    static double middle_of(int32_t bin);

    bool _is_sketch = false;
    size_t count_up_to(double value, std::span<const double> last_piece) const;

    std::vector<std::vector<double>> _pieces; // all but the last are full, and sorted
    std::map<int32_t, uint64_t> _bins;
};

} // namespace query
