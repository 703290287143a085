// A folder of its own for each test, gone afterwards.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace testing_lib {

class temporary_directory {
public:
    temporary_directory() {
        auto pattern = (std::filesystem::temp_directory_path() / "downtick-test-XXXXXX").string();
        _path = ::mkdtemp(pattern.data());
    }
    ~temporary_directory() {
        std::error_code ignored;
        std::filesystem::remove_all(_path, ignored);
    }
    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;

    const std::string& path() const { return _path; }

private:
    std::string _path;
};

} // namespace testing_lib
