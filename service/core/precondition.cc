#include "service/core/precondition.hh"

#include <string>

#include "service/core/edm_text.hh"
#include "service/core/time_text.hh"

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

bool is_weak_etag(std::string_view text) {
    constexpr std::string_view head = "W/\"";
    return text.size() > head.size() && text.starts_with(head) && text.find('"', head.size()) == text.size() - 1;
}

// Clients write the colons of the time as %3A, some as %3a or as they are.
std::string with_plain_colons(std::string_view text) {
    std::string plain;
    for (size_t i = 0; i < text.size(); ++i) {
        const auto rest = text.substr(i);
        const bool is_escape = rest.starts_with("%3A") || rest.starts_with("%3a");
        plain.push_back(is_escape ? ':' : text[i]);
        i += is_escape ? 2 : 0;
    }
    return plain;
}

// The timestamp whose ETag this is, letter for letter; no_timestamp when there is none.
base::tick timestamp_of(std::string_view etag) {
    constexpr std::string_view head = "W/\"datetime'";
    constexpr std::string_view tail = "'\"";
    if (etag.size() < head.size() + tail.size() || !etag.starts_with(head) || !etag.ends_with(tail)) {
        return no_timestamp;
    }
    const auto time = with_plain_colons(etag.substr(head.size(), etag.size() - head.size() - tail.size()));
    const auto parsed = parse_datetime(time);
    return parsed && base::to_text(*parsed) == time ? *parsed : no_timestamp;
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
    if (!is_weak_etag(*if_match)) {
        return refuse(service_code::invalid_input, "The etag value '" + std::string(*if_match) +
                                                       "' specified in one of the request headers is not valid. Please make sure "
                                                       "only one etag value is specified and is valid.");
    }
    return precondition{precondition::kind::exact, timestamp_of(*if_match)};
}

} // namespace service
