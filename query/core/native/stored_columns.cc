#include "query/core/native/stored_columns.hh"

#include "query/core/native/record_row.hh"
#include "tables/core/family/property_name.hh"

namespace query {

std::optional<std::string> stored_name(origin_kind kind, std::string_view field, name_scope scope) {
    if (kind != origin_kind::family) {
        return kind == origin_kind::source && scope == name_scope::any ? record_property(field) : std::string(field);
    }
    std::string property;
    const bool is_name = tables::append_property_name(field, property);
    return is_name ? std::optional(std::move(property)) : std::nullopt;
}

std::optional<std::vector<std::string>> stored_columns(const plan& p, uint32_t part) {
    const auto kind = p.origin_of(p.parts[part]).kind;
    std::vector<std::string> columns;
    const auto add = [&](std::string_view field, name_scope scope) {
        if (auto name = stored_name(kind, field, scope)) {
            columns.push_back(std::move(*name));
        }
    };
    if (p.asked.aggregates) {
        for (const auto& call : p.asked.aggregates->calls) {
            if (!call.field.empty()) {
                add(call.field, call.is_field_only ? name_scope::field : name_scope::any);
            }
        }
        return columns;
    }
    if (!p.asked.select) {
        return std::nullopt;
    }
    for (const auto& s : *p.asked.select) {
        if (s.scope != name_scope::tag) {
            add(s.name, s.scope);
        }
    }
    return columns;
}

} // namespace query
