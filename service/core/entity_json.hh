// JSON request bodies -> entities. One flat object; each property may have an annotation `name@odata.type` before or after
// it, so the whole object is read before any value is understood. What is checked here is JSON and types; the limits of the
// entity model are tables::check_entity's, asked afterwards.
//
// Errors: InvalidInput for malformed JSON, nested values, unknown types and texts that do not fit their type;
// DuplicatePropertiesSpecified; PropertiesNeedValue for a missing or null key; OutOfRangeInput for a DateTime before 1601 and
// for a key in a body with a forbidden character; TooManyProperties for more members than any entity could have.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "service/core/service_error.hh"
#include "tables/core/value.hh"

namespace service {

enum class entity_body : uint8_t {
    insert,  // the keys are in the body
    replace, // the keys are in the URL; those in a body say nothing, whatever their type
    merge,   // as replace, and an empty body is an empty object
};

// An entity beside the bytes its views point into. Can be moved; the views stay good.
struct parsed_entity {
    std::unique_ptr<char[]> bytes;  // the body, its strings unescaped and its binaries decoded where they stood
    std::string_view partition_key; // as the client wrote it; empty unless the body was an insert
    std::string_view row_key;
    // Sorted by name (bytes), no name twice, no nulls; without the keys, Timestamp and odata members.
    std::vector<tables::property> properties;
};

// Keeps its working memory from one body to the next, as long as that is small. Not for two threads at once.
class entity_parser {
public:
    entity_parser();
    ~entity_parser();
    entity_parser(const entity_parser&) = delete;
    entity_parser& operator=(const entity_parser&) = delete;

    outcome<parsed_entity> parse(std::string_view body, entity_body);
    // {"TableName":"Cities"}: the name, not checked further.
    outcome<std::string> parse_table_name(std::string_view body);

private:
    struct state;
    std::unique_ptr<state> _state;
};

} // namespace service
