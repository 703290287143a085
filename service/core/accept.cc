#include "service/core/accept.hh"

#include <algorithm>

#include "http/core/request_head.hh"
#include "service/core/ascii.hh"

namespace service {
namespace {

using http::equal_ignoring_case;

// The next piece of a list, without blanks around it; `rest` goes on behind the separator.
std::string_view take_item(std::string_view& rest, char separator) {
    const size_t end = std::min(rest.find(separator), rest.size());
    const auto item = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return item;
}

enum class media : uint8_t { json, any, atom_or_xml, other };

media media_of(std::string_view type) {
    if (equal_ignoring_case(type, "application/json") || equal_ignoring_case(type, "json")) {
        return media::json;
    }
    if (type == "*/*" || equal_ignoring_case(type, "application/*")) {
        return media::any;
    }
    for (auto xml : {"application/atom+xml", "application/atomsvc+xml", "application/xml", "text/xml", "atom", "xml"}) {
        if (equal_ignoring_case(type, xml)) {
            return media::atom_or_xml;
        }
    }
    return media::other;
}

// The level that the parameters of application/json ask for; nothing for one that is not known.
std::optional<metadata_level> level_of(std::string_view parameters) {
    constexpr std::string_view key = "odata=";
    while (!parameters.empty()) {
        const auto parameter = take_item(parameters, ';');
        if (!equal_ignoring_case(parameter.substr(0, key.size()), key)) {
            continue;
        }
        const auto level = parameter.substr(key.size());
        if (equal_ignoring_case(level, "nometadata")) {
            return metadata_level::none;
        }
        if (equal_ignoring_case(level, "fullmetadata")) {
            return metadata_level::full;
        }
        return equal_ignoring_case(level, "minimalmetadata") ? std::optional(metadata_level::minimal) : std::nullopt;
    }
    return metadata_level::minimal;
}

// $format where it is given, else Accept; empty for neither.
std::string_view asked_for(std::optional<std::string_view> accept, std::optional<std::string_view> format) {
    return format && !trimmed(*format).empty() ? *format : accept.value_or("");
}

} // namespace

outcome<metadata_level> negotiate(std::optional<std::string_view> accept, std::optional<std::string_view> format) {
    auto rest = asked_for(accept, format);
    bool has_xml = false;
    bool has_unknown_json = false;
    bool has_other = false;
    while (!rest.empty()) {
        auto range = take_item(rest, ',');
        const auto type = take_item(range, ';');
        switch (media_of(type)) {
        case media::json:
            if (const auto level = level_of(range)) {
                return *level;
            }
            has_unknown_json = true;
            break;
        case media::atom_or_xml: has_xml = true; break;
        case media::any:
        case media::other: has_other |= !type.empty(); break;
        }
    }
    if (has_unknown_json && !has_other) {
        return refuse(service_code::json_format_not_supported);
    }
    if (has_xml && !has_other) {
        return refuse(service_code::atom_format_not_supported);
    }
    return metadata_level::minimal;
}

body_format error_format(call_face face, service_code code, std::optional<std::string_view> accept,
                         std::optional<std::string_view> format) {
    if (face == call_face::xml) {
        return body_format::xml;
    }
    if (code != service_code::authentication_failed && code != service_code::no_authentication_information) {
        return body_format::json;
    }
    for (auto rest = asked_for(accept, format); !rest.empty();) {
        auto range = take_item(rest, ',');
        if (media_of(take_item(range, ';')) == media::json) {
            return body_format::json;
        }
    }
    return body_format::xml;
}

outcome<void> check_content_type(std::optional<std::string_view> content_type) {
    auto rest = content_type.value_or("");
    const auto type = take_item(rest, ';');
    if (type.empty() || equal_ignoring_case(type, "application/json")) {
        return {};
    }
    return refuse(media_of(type) == media::atom_or_xml ? service_code::atom_format_not_supported
                                                       : service_code::unsupported_media_type);
}

preference parse_prefer(std::optional<std::string_view> prefer) {
    for (auto rest = prefer.value_or(""); !rest.empty();) {
        const auto item = take_item(rest, ',');
        if (equal_ignoring_case(item, name(preference::return_no_content))) {
            return preference::return_no_content;
        }
        if (equal_ignoring_case(item, name(preference::return_content))) {
            return preference::return_content;
        }
    }
    return preference::none;
}

std::string_view name(preference wanted) {
    switch (wanted) {
    case preference::none: break;
    case preference::return_content: return "return-content";
    case preference::return_no_content: return "return-no-content";
    }
    return {};
}

} // namespace service
