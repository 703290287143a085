#include "service/core/entity_json.hh"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "service/core/json_members.hh"
#include "service/core/limits.hh"
#include "service/core/property_value.hh"

namespace service {
namespace {

constexpr std::string_view annotation_suffix = "@odata.type";
// What clients send back as they read it.
constexpr std::array<std::string_view, 6> ignored_names{"Timestamp", "odata.metadata", "odata.type",
                                                        "odata.id",  "odata.etag",     "odata.editLink"};

// Values and annotations apart, each sorted by the name of the property; no JSON name twice.
struct sorted_members {
    std::span<json_member> values;
    std::span<json_member> annotations; // their names without the suffix
};

outcome<sorted_members> sort_members(std::span<json_member> members) {
    const auto tail = std::ranges::partition(members, [](const json_member& m) { return !m.name.ends_with(annotation_suffix); });
    const sorted_members sorted{{members.begin(), tail.begin()}, tail};
    for (auto& annotation : sorted.annotations) {
        annotation.name.remove_suffix(annotation_suffix.size());
    }
    for (auto part : {sorted.values, sorted.annotations}) {
        std::ranges::sort(part, {}, &json_member::name);
        if (std::ranges::adjacent_find(part, {}, &json_member::name) != part.end()) {
            return refuse(service_code::duplicate_properties_specified);
        }
    }
    return sorted;
}

// Fills an entity with the members of its body, in the order of their names.
class entity_builder {
public:
    entity_builder(parsed_entity& entity, entity_body kind, const sorted_members& members)
        : _entity(entity), _kind(kind), _annotations(members.annotations) {
        _entity.properties.reserve(members.values.size());
    }

    outcome<void> add(const json_member& member) {
        if (std::ranges::contains(ignored_names, member.name)) {
            return {};
        }
        const auto annotation = annotation_of(member.name);
        if (annotation && annotation->kind != json_kind::string) {
            return refuse(service_code::invalid_input);
        }
        const auto type_name = annotation ? std::optional(annotation->text) : std::nullopt;
        if (member.name == "PartitionKey") {
            return add_key(member, type_name, _entity.partition_key, _has_partition_key);
        }
        if (member.name == "RowKey") {
            return add_key(member, type_name, _entity.row_key, _has_row_key);
        }
        return add_property(member, type_name);
    }

    bool has_keys() const { return _has_partition_key && _has_row_key; }

private:
    // Walks along with the names it is asked for, which rise.
    const json_member* annotation_of(std::string_view name) {
        while (!_annotations.empty() && _annotations.front().name < name) {
            _annotations = _annotations.subspan(1);
        }
        return !_annotations.empty() && _annotations.front().name == name ? &_annotations.front() : nullptr;
    }

    outcome<void> add_key(const json_member& member, std::optional<std::string_view> type_name, std::string_view& key,
                          bool& seen) {
        if (member.kind == json_kind::null) {
            return refuse(service_code::properties_need_value);
        }
        seen = true;
        if (_kind != entity_body::insert) {
            return {};
        }
        return key_value(member, type_name).transform([&](std::string_view text) { key = text; });
    }

    outcome<void> add_property(const json_member& member, std::optional<std::string_view> type_name) {
        if (member.kind == json_kind::null) {
            return {};
        }
        return property_value(member, type_name, _entity.bytes.get()).transform([&](const tables::value& value) {
            _entity.properties.push_back({member.name, value});
        });
    }

    parsed_entity& _entity;
    const entity_body _kind;
    std::span<const json_member> _annotations;
    bool _has_partition_key = false;
    bool _has_row_key = false;
};

} // namespace

struct entity_parser::state {
    json_member_reader reader;

    // The members of a body that is copied to `bytes`, padded as the reader needs it.
    outcome<sorted_members> read(std::string_view body, std::unique_ptr<char[]>& bytes) {
        if (body.size() > request_body_bytes_max) {
            return refuse(service_code::request_body_too_large);
        }
        bytes = std::make_unique_for_overwrite<char[]>(body.size() + json_member_reader::padding());
        std::ranges::copy(body, bytes.get());
        std::memset(bytes.get() + body.size(), 0, json_member_reader::padding());
        return reader.read(bytes.get(), body.size()).and_then(sort_members);
    }
};

entity_parser::entity_parser() : _state(std::make_unique<state>()) {}
entity_parser::~entity_parser() = default;

outcome<parsed_entity> entity_parser::parse(std::string_view body, entity_body kind) {
    parsed_entity entity;
    if (kind == entity_body::merge && body.find_first_not_of(" \t\r\n") == std::string_view::npos) {
        return entity;
    }
    const auto members = _state->read(body, entity.bytes);
    if (!members) {
        return std::unexpected(members.error());
    }
    entity_builder builder(entity, kind, *members);
    for (const auto& member : members->values) {
        if (auto added = builder.add(member); !added) {
            return std::unexpected(std::move(added.error()));
        }
    }
    if (kind == entity_body::insert && !builder.has_keys()) {
        return refuse(service_code::properties_need_value);
    }
    return entity;
}

outcome<std::string> entity_parser::parse_table_name(std::string_view body) {
    std::unique_ptr<char[]> bytes;
    const auto members = _state->read(body, bytes);
    if (!members) {
        return std::unexpected(members.error());
    }
    const auto found = std::ranges::find(members->values, "TableName", &json_member::name);
    if (found == members->values.end() || found->kind == json_kind::null) {
        return refuse(service_code::properties_need_value);
    }
    if (found->kind != json_kind::string) {
        return refuse(service_code::invalid_input);
    }
    return std::string(found->text);
}

} // namespace service
