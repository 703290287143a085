// The include rules of CONTRIBUTING.md as a function over file texts.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace house {

// Path inside the tree -> content.
using tree = std::map<std::string, std::string>;

// One sentence for each include that breaks a rule.
std::vector<std::string> layer_violations(const tree&);

} // namespace house
