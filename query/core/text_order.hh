// The order of keys and strings: ordinal by UTF-16 unit, on text in UTF-8.
#pragma once

#include <string_view>

namespace query {

// The same as comparing tables::collate of both, without making either. That is the order of the bytes, except that characters
// beyond U+FFFF (lead bytes F0..F4) come before U+E000..U+FFFF (lead bytes EE and EF). A total order of any bytes.
// Below 0, 0 or above 0, as memcmp.
int compare_text(std::string_view a, std::string_view b);

} // namespace query
