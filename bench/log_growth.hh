// Grows a sample of a log: the lines again and again, each time with other times, numbers, ids and addresses. Within one round
// equal numbers stay equal, so that what belongs together still does; plain repetition would flatter any compressor.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

// Whole rounds of `sample` until there are at least `bytes_min` bytes.
std::string grow_log(std::string_view sample, size_t bytes_min, uint64_t seed);

} // namespace bench
