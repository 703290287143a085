// A strict reader for the little XML that clients send: elements, text, attributes that mean nothing. No DTD, no CDATA, no
// entities but the five; size, depth and number of elements are bounded before anything is built.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "service/core/service_error.hh"

namespace service {

// The largest legal body is five CORS rules of 2 KiB in all and their tags.
constexpr size_t xml_bytes_max = 64 * 1024;
// The deepest legal element is at 4; what is deeper is refused before it can use up the stack.
constexpr size_t xml_depth_max = 8;
// Five rules of five elements are 30.
constexpr size_t xml_elements_max = 256;

struct xml_element {
    std::string_view name; // as written; a view into the document
    std::string text;      // unescaped; of an element with children, empty
    std::vector<xml_element> children;

    // The first child of that name, or null.
    const xml_element* child(std::string_view wanted) const;
};

// The root. InvalidXmlDocument for whatever is not well-formed or not in the subset.
outcome<xml_element> parse_xml(std::string_view document);

} // namespace service
