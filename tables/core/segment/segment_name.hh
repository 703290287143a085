// Names of segment files, SSS-NNNNNNNNNNNN.seg: the shard that wrote it, and a number that this shard never gives twice. And of
// places in them, as manifests have them: FILE@OFFSET.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tables {

struct segment_name {
    unsigned shard = 0;
    uint64_t number = 0;

    std::string text() const;
    static std::optional<segment_name> parse(std::string_view);
};

std::string place_name(std::string_view file, uint64_t offset);
// The file of a place.
std::string_view file_of(std::string_view place);

} // namespace tables
