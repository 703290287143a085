// What every match of a pattern contains: runs of literal bytes that no match can do without. Filters look for them before
// anything is decoded. Conservative: what is not understood breaks a run, and alternatives or flags give none at all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace blobs {

// Needs: a pattern that RE2 accepts.
std::vector<std::string> required_literals(std::string_view pattern);

} // namespace blobs
