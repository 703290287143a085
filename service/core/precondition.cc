#include "service/core/precondition.hh"

#include <string>

#include "tables/core/etag.hh"

namespace service {
namespace {

bool is_conditional(operation op) {
    switch (op) {
    case operation::replace_entity:
    case operation::merge_entity:
    case operation::insert_or_replace_entity:
    case operation::insert_or_merge_entity:
    case operation::delete_entity: return true;
    default: return false;
    }
}

} // namespace

outcome<precondition> parse_precondition(operation op, std::optional<std::string_view> if_match,
                                         std::optional<std::string_view> if_none_match) {
    if (!is_conditional(op)) {
        return precondition{};
    }
    if (if_none_match || (!if_match && op == operation::delete_entity)) {
        return refuse(service_code::invalid_input);
    }
    if (!if_match) {
        return precondition{};
    }
    if (*if_match == "*") {
        return precondition{precondition::kind::any, {}};
    }
    const auto etag = tables::parse_etag(*if_match);
    if (!etag) {
        return refuse(service_code::invalid_input, "The etag value '" + std::string(*if_match) +
                                                       "' specified in one of the request headers is not valid. Please make sure "
                                                       "only one etag value is specified and is valid.");
    }
    return precondition{precondition::kind::exact, etag->timestamp.value_or(no_timestamp)};
}

} // namespace service
