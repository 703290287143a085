#include "service/core/xml_text.hh"

#include <cstdint>

namespace service {

void put_xml_text(text_sink& out, std::string_view utf8) {
    for (const char c : utf8) {
        switch (c) {
        case '&': out.put("&amp;"); break;
        case '<': out.put("&lt;"); break;
        case '>': out.put("&gt;"); break;
        case '"': out.put("&quot;"); break;
        case '\'': out.put("&apos;"); break;
        default: {
            const bool is_forbidden = static_cast<uint8_t>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
            out.put(is_forbidden ? '?' : c);
        }
        }
    }
}

} // namespace service
