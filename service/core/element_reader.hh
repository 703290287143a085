// The children of one XML element, read by name into values.
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>

#include "service/core/service_error.hh"
#include "service/core/xml_document.hh"

namespace service {

// The first thing wrong is kept: read everything, then ask result() before using any of it. UnsupportedXmlNode for a child
// that is not among `names`, InvalidXmlDocument for one that is there twice, MissingRequiredXmlNode, InvalidXmlNodeValue.
class element_reader {
public:
    element_reader(const xml_element&, std::initializer_list<std::string_view> names);

    // Null when it is not there; then only required() minds.
    const xml_element* optional(std::string_view name) const { return _element.child(name); }
    const xml_element* required(std::string_view name);

    void read_boolean(std::string_view name, bool& value);
    void read_number(std::string_view name, unsigned min, unsigned max, unsigned& value);

    void note(service_code code) { _error = _error.value_or(code); }
    outcome<void> result() const { return _error ? refuse(*_error) : outcome<void>(); }

private:
    const xml_element& _element;
    std::optional<service_code> _error;
};

} // namespace service
