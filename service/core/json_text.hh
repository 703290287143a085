// JSON strings and numbers, written and read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "service/core/text_sink.hh"

namespace service {

// The content of a JSON string, without its quotes. Only what JSON asks for is escaped; UTF-8 goes out as it is.
void put_json_text(text_sink&, std::string_view utf8);

inline void put_json_string(text_sink& out, std::string_view utf8) {
    out.put('"');
    put_json_text(out, utf8);
    out.put('"');
}

// The shortest text that reads back as the same double, always with a point or an exponent ("5.0"), so that clients
// do not take it for an integer. Needs: finite.
void put_json_real(text_sink&, double);

// The reverse of put_json_text(): never longer than `raw`, and `out` may be where `raw` stands. Says how many bytes were
// written; nothing for an unknown escape or half a surrogate pair.
std::optional<size_t> unescape_json(std::string_view raw, char* out);

enum class json_number : uint8_t { none, integer, real };
// What the grammar of JSON makes of a token, whatever its size.
json_number classify_json_number(std::string_view token);

} // namespace service
