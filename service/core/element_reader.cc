#include "service/core/element_reader.hh"

#include <algorithm>
#include <charconv>

#include "service/core/edm_text.hh"

namespace service {

element_reader::element_reader(const xml_element& element, std::initializer_list<std::string_view> names) : _element(element) {
    for (const auto& child : element.children) {
        if (!std::ranges::contains(names, child.name)) {
            note(service_code::unsupported_xml_node);
        } else if (std::ranges::count(element.children, child.name, &xml_element::name) > 1) {
            note(service_code::invalid_xml_document);
        }
    }
}

const xml_element* element_reader::required(std::string_view name) {
    const auto* found = _element.child(name);
    if (!found) {
        note(service_code::missing_required_xml_node);
    }
    return found;
}

void element_reader::read_boolean(std::string_view name, bool& value) {
    const auto* found = required(name);
    if (!found) {
        return;
    }
    const auto parsed = parse_boolean(found->text);
    if (!parsed) {
        return note(service_code::invalid_xml_node_value);
    }
    value = *parsed;
}

void element_reader::read_number(std::string_view name, unsigned min, unsigned max, unsigned& value) {
    const auto* found = required(name);
    if (!found) {
        return;
    }
    const auto& text = found->text;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < min || value > max) {
        note(service_code::invalid_xml_node_value);
    }
}

} // namespace service
