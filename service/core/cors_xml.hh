// The <Cors> element of the service properties.
#pragma once

#include <span>
#include <vector>

#include "service/core/cors.hh"
#include "service/core/service_error.hh"
#include "service/core/text_sink.hh"
#include "service/core/xml_document.hh"

namespace service {

// The rules within their limits, or InvalidXmlDocument. InvalidXmlNodeValue: a method nobody knows, a bad number, no method
// or origin at all.
outcome<std::vector<cors_rule>> parse_cors(const xml_element&);
void put_cors(text_sink&, std::span<const cors_rule>);

} // namespace service
