#include "tests/torture/damaged_block.hh"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include <fmt/format.h>

namespace torture {

std::optional<damaged_block> damaged_block::in(const std::string& data, std::mt19937_64& random) {
    std::vector<std::filesystem::path> files;
    for (const auto* folder : {"/segments", "/blobs"}) {
        std::error_code missing;
        for (const auto& entry : std::filesystem::directory_iterator(data + folder, missing)) {
            if (entry.is_regular_file() && entry.file_size() > 0) {
                files.push_back(entry.path());
            }
        }
    }
    if (files.empty()) {
        return std::nullopt;
    }
    std::ranges::sort(files); // the choice follows from the seed, not from the directory's order
    const auto& file = files[random() % files.size()];
    damaged_block damage(file.string(), random() % std::filesystem::file_size(file), static_cast<uint8_t>(1 + random() % 255));
    damage.flip();
    return damage;
}

void damaged_block::flip() const {
    std::fstream file(_path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(_position));
    const int byte = file.get();
    if (byte >= 0) {
        file.seekp(static_cast<std::streamoff>(_position));
        file.put(static_cast<char>(byte ^ _bits));
    }
}

std::string damaged_block::describe() const {
    return fmt::format("{} at {}, bits {:#04x}", _path, _position, _bits);
}

} // namespace torture
