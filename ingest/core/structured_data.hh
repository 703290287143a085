// The structured data of RFC 5424: [id name="value" ...][id ...].
#pragma once

#include <string_view>

#include "ingest/core/record_builder.hh"

namespace ingest {

// Takes the elements off the front of `text` into the record's fields. False when they cannot be taken as they are: their form
// is wrong, a value is not UTF-8, a bound of field_list is passed. Some fields may then have been added.
bool take_structured_data(std::string_view& text, record_builder& record);

} // namespace ingest
