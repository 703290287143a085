// What parses is printed, parsed and printed again: the same entity and the same text. And nothing parses that simdjson's
// strict parser refuses, except for numbers of a size it does not know.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "service/core/entity_json.hh"
#include "service/core/entity_printer.hh"
#include "tables/core/limits.hh"

namespace {

std::string print(const service::parsed_entity& entity, service::metadata_level level) {
    const auto shape = tables::shape_of(entity.properties);
    std::string row;
    tables::pack_row(entity.properties, row);
    const service::entity_printer printer({level, "http://localhost/acct", "acct"}, "T");
    std::string out;
    printer.append_single(out, {entity.partition_key, entity.row_key, base::unix_epoch, {shape, row}});
    return out;
}

bool same_properties(const service::parsed_entity& a, const service::parsed_entity& b) {
    if (a.properties.size() != b.properties.size()) {
        return false;
    }
    for (size_t i = 0; i < a.properties.size(); ++i) {
        const auto& left = a.properties[i];
        const auto& right = b.properties[i];
        if (left.name != right.name || !identical(left.value, right.value)) {
            return false;
        }
    }
    return true;
}

bool is_sorted(const service::parsed_entity& entity) {
    for (size_t i = 1; i < entity.properties.size(); ++i) {
        if (entity.properties[i - 1].name >= entity.properties[i].name) {
            return false;
        }
    }
    return true;
}

bool is_json(std::string_view text) {
    static simdjson::dom::parser parser;
    const auto error = parser.parse(simdjson::padded_string(text)).error();
    return error == simdjson::SUCCESS || error == simdjson::NUMBER_ERROR || error == simdjson::BIGINT_ERROR;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static service::entity_parser parser;
    const std::string_view body(reinterpret_cast<const char*>(data), size);
    const bool is_table = parser.parse_table_name(body).has_value();
    const bool is_replacement = parser.parse(body, service::entity_body::replace).has_value();
    if ((is_table || is_replacement) && !is_json(body)) {
        std::abort();
    }
    const auto entity = parser.parse(body, service::entity_body::insert);
    if (!entity || !tables::check_entity(entity->partition_key, entity->row_key, entity->properties)) {
        return 0;
    }
    const auto text = print(*entity, service::metadata_level::full);
    const auto again = parser.parse(text, service::entity_body::insert);
    if (!is_sorted(*entity) || !again || again->partition_key != entity->partition_key || again->row_key != entity->row_key ||
        !same_properties(*entity, *again) || print(*again, service::metadata_level::full) != text) {
        std::abort();
    }
    return 0;
}
