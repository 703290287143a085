#include "service/core/json_members.hh"

#include <simdjson.h>

#include "service/core/json_text.hh"
#include "service/core/limits.hh"

namespace service {
namespace {

// A parser keeps about six bytes for each byte of its longest body; one that saw a longer body than this is made anew.
constexpr size_t kept_body_bytes_max = 16 * 1024;

std::string_view without_trailing_blanks(std::string_view token) {
    return token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
}

} // namespace

struct json_member_reader::state {
    simdjson::ondemand::parser parser;
};

json_member_reader::json_member_reader() : _state(std::make_unique<state>()) {}
json_member_reader::~json_member_reader() = default;

size_t json_member_reader::padding() {
    return simdjson::SIMDJSON_PADDING;
}

namespace {

// Views of `raw` point into `bytes`, which is ours to change.
std::optional<std::string_view> unescape_in_place(std::string_view raw, char* bytes) {
    if (!raw.contains('\\')) {
        return raw;
    }
    char* const at = bytes + (raw.data() - bytes);
    const auto size = unescape_json(raw, at);
    return size ? std::optional(std::string_view(at, *size)) : std::nullopt;
}

// simdjson has found where the token begins and ends, and that strings are valid UTF-8 without bare control characters;
// what is in it is ours to check.
std::optional<json_member> understand(const json_member& raw, char* bytes) {
    const auto name = unescape_in_place(raw.name, bytes);
    const auto token = raw.text;
    if (!name || token.empty()) {
        return std::nullopt;
    }
    if (token.front() == '"') {
        if (token.size() < 2 || token.back() != '"') {
            return std::nullopt;
        }
        const auto text = unescape_in_place(token.substr(1, token.size() - 2), bytes);
        return text ? std::optional(json_member{*name, json_kind::string, *text}) : std::nullopt;
    }
    if (token == "null") {
        return json_member{*name, json_kind::null, {}};
    }
    if (token == "true" || token == "false") {
        return json_member{*name, token == "true" ? json_kind::boolean_true : json_kind::boolean_false, {}};
    }
    switch (classify_json_number(token)) {
    case json_number::integer: return json_member{*name, json_kind::integer, token};
    case json_number::real: return json_member{*name, json_kind::real, token};
    case json_number::none: break; // also every nested value
    }
    return std::nullopt;
}

// Raw names and tokens only: nothing may be changed before the whole document has been walked.
outcome<void> walk(simdjson::ondemand::parser& parser, const char* bytes, size_t size, std::vector<json_member>& members) {
    simdjson::ondemand::document document;
    simdjson::ondemand::object object;
    if (parser.iterate(simdjson::padded_string_view(bytes, size, size + simdjson::SIMDJSON_PADDING)).get(document) ||
        document.get_object().get(object)) {
        return refuse(service_code::invalid_input);
    }
    for (auto found : object) {
        simdjson::ondemand::field field;
        if (std::move(found).get(field)) {
            return refuse(service_code::invalid_input);
        }
        if (members.size() == json_members_max) {
            return refuse(service_code::too_many_properties);
        }
        const auto name = field.escaped_key();
        auto value = field.value();
        const auto token = without_trailing_blanks(value.raw_json_token());
        // A string must be consumed: simdjson would take one that is left and followed by a colon for the next key.
        if (token.starts_with('{') || token.starts_with('[') || (token.starts_with('"') && value.get_raw_json_string().error())) {
            return refuse(service_code::invalid_input);
        }
        members.push_back({name, json_kind::null, token});
    }
    return document.at_end() ? outcome<void>() : refuse(service_code::invalid_input);
}

} // namespace

outcome<std::span<json_member>> json_member_reader::read(char* bytes, size_t size) {
    _members.clear();
    const auto walked = walk(_state->parser, bytes, size, _members);
    if (_state->parser.capacity() > kept_body_bytes_max) {
        _state = std::make_unique<state>();
    }
    if (!walked) {
        return std::unexpected(walked.error());
    }
    for (auto& member : _members) {
        const auto understood = understand(member, bytes);
        if (!understood) {
            return refuse(service_code::invalid_input);
        }
        member = *understood;
    }
    return std::span(_members);
}

} // namespace service
