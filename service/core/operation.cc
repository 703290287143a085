#include "service/core/operation.hh"

#include <algorithm>
#include <array>
#include <type_traits>

namespace service {
namespace {

template <class R, size_t I = 0>
constexpr size_t index_of() {
    if constexpr (std::is_same_v<std::variant_alternative_t<I, resource>, R>) {
        return I;
    } else {
        return index_of<R, I + 1>();
    }
}

struct operation_row {
    size_t resource;
    verb method;
    operation found;
};

constexpr std::array operation_rows{
    operation_row{index_of<properties_resource>(), verb::get, operation::get_properties},
    operation_row{index_of<properties_resource>(), verb::put, operation::set_properties},
    operation_row{index_of<stats_resource>(), verb::get, operation::get_stats},
    operation_row{index_of<table_set_resource>(), verb::get, operation::query_tables},
    operation_row{index_of<table_set_resource>(), verb::post, operation::create_table},
    operation_row{index_of<batch_resource>(), verb::post, operation::batch},
    operation_row{index_of<table_resource>(), verb::get, operation::get_table},
    operation_row{index_of<table_resource>(), verb::remove, operation::delete_table},
    operation_row{index_of<acl_resource>(), verb::get, operation::get_acl},
    operation_row{index_of<acl_resource>(), verb::put, operation::set_acl},
    operation_row{index_of<entity_set_resource>(), verb::get, operation::query_entities},
    operation_row{index_of<entity_set_resource>(), verb::post, operation::insert_entity},
    operation_row{index_of<entity_resource>(), verb::get, operation::get_entity},
    operation_row{index_of<entity_resource>(), verb::put, operation::replace_entity},
    operation_row{index_of<entity_resource>(), verb::merge, operation::merge_entity},
    operation_row{index_of<entity_resource>(), verb::remove, operation::delete_entity},
};

// By resource.
constexpr std::array<std::string_view, std::variant_size_v<resource>> methods{
    "GET, PUT, OPTIONS",    "GET, OPTIONS",      "GET, POST, OPTIONS", "POST, OPTIONS",
    "GET, DELETE, OPTIONS", "GET, PUT, OPTIONS", "GET, POST, OPTIONS", "GET, PUT, PATCH, MERGE, DELETE, OPTIONS",
};

} // namespace

verb parse_verb(std::string_view method) {
    if (method == "GET") {
        return verb::get;
    }
    if (method == "PUT") {
        return verb::put;
    }
    if (method == "POST") {
        return verb::post;
    }
    if (method == "PATCH" || method == "MERGE") {
        return verb::merge;
    }
    if (method == "DELETE") {
        return verb::remove;
    }
    return method == "OPTIONS" ? verb::options : verb::other;
}

outcome<verb> effective_verb(std::string_view method, std::span<const std::string_view> x_http_method) {
    const auto sent = parse_verb(method);
    if (x_http_method.empty()) {
        return sent;
    }
    if (sent != verb::post) {
        return refuse(service_code::x_method_not_using_post);
    }
    if (x_http_method.size() > 1) {
        return refuse(service_code::x_method_incorrect_count);
    }
    const auto meant = parse_verb(x_http_method.front());
    if (meant != verb::merge && meant != verb::put && meant != verb::remove) {
        return refuse(service_code::x_method_incorrect_value);
    }
    return meant;
}

outcome<operation> find_operation(const resource& target, verb method, if_match_header condition) {
    const auto row =
        std::ranges::find_if(operation_rows, [&](const auto& r) { return r.resource == target.index() && r.method == method; });
    if (row == operation_rows.end()) {
        return refuse(service_code::method_not_allowed);
    }
    // Without If-Match a replace or merge may also insert.
    if (condition == if_match_header::absent && row->found == operation::replace_entity) {
        return operation::insert_or_replace_entity;
    }
    if (condition == if_match_header::absent && row->found == operation::merge_entity) {
        return operation::insert_or_merge_entity;
    }
    return row->found;
}

bool is_xml(const resource& target) {
    return std::holds_alternative<acl_resource>(target) || std::holds_alternative<properties_resource>(target) ||
           std::holds_alternative<stats_resource>(target);
}

std::string_view allowed_methods(const resource& target) {
    return methods[target.index()];
}

bool is_write(operation op) {
    switch (op) {
    case operation::get_properties:
    case operation::get_stats:
    case operation::query_tables:
    case operation::get_table:
    case operation::get_acl:
    case operation::query_entities:
    case operation::get_entity:
    case operation::batch: return false;
    default: return true;
    }
}

} // namespace service
