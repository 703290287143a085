#include "query/core/records/shown_text.hh"

#include "tables/core/unicode.hh"

namespace query {

std::string_view shown_text(std::string_view text, std::string& repaired) {
    if (tables::is_utf8(text)) {
        return text;
    }
    repaired.clear();
    while (!text.empty()) {
        const auto before = text;
        if (tables::take_character(text)) {
            repaired += before.substr(0, before.size() - text.size());
        } else {
            repaired += "\xef\xbf\xbd";
            text.remove_prefix(1);
        }
    }
    return repaired;
}

} // namespace query
