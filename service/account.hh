// A tenant of the Table and Blob ports.
#pragma once

#include <string>
#include <vector>

namespace service {

struct account {
    std::string name;
    std::vector<std::string> keys; // decoded; one or two, either may sign
};

} // namespace service
