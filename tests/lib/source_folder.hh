// The tree that a test was built in, found from where the test itself lies. A path compiled in would have every clone compile
// every test anew.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace testing_lib {

inline std::string source_folder() {
    namespace fs = std::filesystem;
    const auto self = fs::canonical("/proc/self/exe");
    for (auto at = self.parent_path(); at.has_relative_path(); at = at.parent_path()) {
        if (fs::exists(at / "CMakePresets.json")) {
            return at.string();
        }
    }
    throw std::runtime_error(self.string() + " does not lie in a build folder of its tree");
}

} // namespace testing_lib
