// What a server keeps on the disk, for tests that change it behind its back.
#pragma once

#include <filesystem>
#include <string>

namespace testing_lib {

// Of the files there, the largest, once there is one; nothing when none comes.
std::filesystem::path wait_for_file(const std::string& folder);

// In the first block of a segment or of a blob.
void flip_byte(const std::filesystem::path&);

} // namespace testing_lib
