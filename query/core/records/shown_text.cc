#include "query/core/records/shown_text.hh"

#include "tables/core/unicode.hh"

namespace query {

std::string_view shown_text(std::string_view text, std::string& repaired) {
    if (tables::is_utf8(text)) {
        return text;
    }
    repaired = tables::repaired_utf8(text);
    return repaired;
}

} // namespace query
