#include "server/core/log_line.hh"

#include <array>
#include <utility>

namespace server {
namespace {

// Where the name of a level can stand, with the sequence before it that makes it coloured.
constexpr size_t level_end_max = 16;

} // namespace

std::optional<log_line> parse_log_line(std::string_view line) {
    constexpr std::array<std::pair<std::string_view, uint8_t>, 3> levels{{{"ERROR", 3}, {"WARN", 4}, {"INFO", 6}}};
    constexpr std::string_view place_end = "] ";
    const auto place = line.find(" [shard ");
    const auto text = place == line.npos ? line.npos : line.find(place_end, place);
    if (text == line.npos) {
        return std::nullopt;
    }
    for (const auto& [name, severity] : levels) {
        if (line.substr(0, level_end_max).contains(name)) {
            line.remove_prefix(text + place_end.size());
            while (line.ends_with('\n')) {
                line.remove_suffix(1);
            }
            return log_line{severity, line};
        }
    }
    return std::nullopt;
}

} // namespace server
