// Text inside an XML element, written.
#pragma once

#include <string_view>

#include "service/core/text_sink.hh"

namespace service {

inline constexpr std::string_view xml_declaration = R"(<?xml version="1.0" encoding="utf-8"?>)";

// Escapes the five; characters XML 1.0 cannot hold at all (controls other than tab and line ends) become '?'.
void put_xml_text(text_sink&, std::string_view utf8);

// <name>text</name>
inline void put_xml_element(text_sink& out, std::string_view name, std::string_view text) {
    out.put('<');
    out.put(name);
    out.put('>');
    put_xml_text(out, text);
    out.put("</");
    out.put(name);
    out.put('>');
}

} // namespace service
