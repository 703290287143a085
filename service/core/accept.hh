// What a client can read and what it sent: Accept, $format, Content-Type and Prefer.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "service/core/metadata_level.hh"
#include "service/core/service_error.hh"

namespace service {

// $format wins over Accept. Missing, */* and application/* mean minimal metadata. AtomFormatNotSupported when only Atom or
// XML would do.
outcome<metadata_level> negotiate(std::optional<std::string_view> accept, std::optional<std::string_view> format);

enum class body_format : uint8_t { json, xml };
// Which face a call has; ACL, service properties and stats speak XML whatever Accept says.
enum class call_face : uint8_t { odata, xml };

// The format of an error body. Failed authentication is told in XML to a client that does not name JSON.
body_format error_format(call_face, service_code, std::optional<std::string_view> accept, std::optional<std::string_view> format);

// Of a request body on an OData call: JSON with any parameters, or nothing. AtomFormatNotSupported, UnsupportedMediaType.
outcome<void> check_content_type(std::optional<std::string_view> content_type);

enum class preference : uint8_t { none, return_content, return_no_content };
preference parse_prefer(std::optional<std::string_view> prefer);
// The value of Preference-Applied; empty for none.
std::string_view name(preference);

} // namespace service
