#include "tables/core/segment/segment_name.hh"

#include <charconv>

#include <fmt/format.h>

namespace tables {

std::string segment_name::text() const {
    return fmt::format("{:03}-{:012}.seg", shard, number);
}

std::optional<segment_name> segment_name::parse(std::string_view text) {
    segment_name name;
    const char* const end = text.data() + text.size();
    const auto [dash, status] = std::from_chars(text.data(), end, name.shard);
    if (status != std::errc() || dash == end) {
        return std::nullopt;
    }
    std::from_chars(dash + 1, end, name.number);
    return text == name.text() ? std::optional(name) : std::nullopt;
}

std::string place_name(std::string_view file, uint64_t offset) {
    return fmt::format("{}@{}", file, offset);
}

std::string_view file_of(std::string_view place) {
    return place.substr(0, place.find('@'));
}

} // namespace tables
