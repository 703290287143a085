#include "service/core/access_policy.hh"

namespace service {

std::optional<base::tick> parse_access_time(std::string_view text) {
    constexpr size_t date_characters = 10;
    // base::parse_time also knows offsets and other separators, which have no place in a signature.
    if (text.size() > date_characters && (text[date_characters] != 'T' || !text.ends_with('Z'))) {
        return std::nullopt;
    }
    return base::parse_time(text);
}

} // namespace service
