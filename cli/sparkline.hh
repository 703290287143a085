// A row of numbers as a line of small bars.
#pragma once

#include <span>
#include <string>

namespace cli {

// At most `width` bars, each the mean of its share of the values; the lowest value is the lowest bar. Empty for fewer than two.
std::string sparkline(std::span<const double> values, size_t width);

} // namespace cli
