#include "tests/server/stored_files.hh"

#include <chrono>
#include <fstream>
#include <thread>

namespace testing_lib {

namespace fs = std::filesystem;

fs::path wait_for_file(const std::string& folder) {
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    fs::path largest;
    while (largest.empty() && std::chrono::steady_clock::now() < patience) {
        for (const auto& entry : fs::exists(folder) ? fs::directory_iterator(folder) : fs::directory_iterator()) {
            largest = largest.empty() || entry.file_size() > fs::file_size(largest) ? entry.path() : largest;
        }
        std::this_thread::yield();
    }
    return largest;
}

void flip_byte(const fs::path& path) {
    constexpr int in_the_first_block = 40;
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(in_the_first_block);
    const auto old = static_cast<char>(file.get());
    file.seekp(in_the_first_block).put(static_cast<char>(~old));
}

} // namespace testing_lib
