// Whether a pattern can tell one digit from another.
#pragma once

#include <string_view>

namespace blobs {

// True: whatever text it matches, it matches with any digits in place of the digits. False when that is not plain to see.
bool is_digit_blind(std::string_view pattern);

} // namespace blobs
