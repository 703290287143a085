#include "service/core/operation.hh"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace service;

outcome<verb> effective(std::string_view method, std::vector<std::string_view> tunnelled = {}) {
    return effective_verb(method, tunnelled);
}

// T68
TEST(operation, merge_has_three_spellings) {
    EXPECT_EQ(effective("PATCH"), verb::merge);
    EXPECT_EQ(effective("MERGE"), verb::merge);
    EXPECT_EQ(effective("POST", {"MERGE"}), verb::merge);
    EXPECT_EQ(effective("POST", {"PATCH"}), verb::merge);
    EXPECT_EQ(effective("POST", {"PUT"}), verb::put);
    EXPECT_EQ(effective("POST", {"DELETE"}), verb::remove);
    EXPECT_EQ(effective("POST"), verb::post);
    EXPECT_EQ(effective("HEAD"), verb::other);
    EXPECT_EQ(effective("get"), verb::other);
}

// T69
TEST(operation, tunnelling_has_its_own_errors) {
    EXPECT_EQ(effective("GET", {"MERGE"}).error().code, service_code::x_method_not_using_post);
    EXPECT_EQ(effective("PATCH", {"MERGE"}).error().code, service_code::x_method_not_using_post);
    EXPECT_EQ(effective("POST", {"MERGE", "MERGE"}).error().code, service_code::x_method_incorrect_count);
    for (auto value : {"GET", "POST", "", "merge", "MERGE,PUT", "OPTIONS"}) {
        EXPECT_EQ(effective("POST", {value}).error().code, service_code::x_method_incorrect_value) << value;
    }
}

TEST(operation, only_policies_properties_and_stats_speak_xml) {
    for (const resource& r : {resource(acl_resource{"T"}), resource(properties_resource{}), resource(stats_resource{})}) {
        EXPECT_TRUE(is_xml(r)) << r.index();
    }
    for (const resource& r : {resource(table_set_resource{}), resource(batch_resource{}), resource(table_resource{"T"}),
                              resource(entity_set_resource{"T"}), resource(entity_resource{"T", "p", "r"})}) {
        EXPECT_FALSE(is_xml(r)) << r.index();
    }
}

TEST(operation, verb_and_resource_make_an_operation) {
    const auto absent = if_match_header::absent;
    const auto present = if_match_header::present;
    const resource entity = entity_resource{"T", "p", "r"};
    EXPECT_EQ(find_operation(properties_resource{}, verb::get, absent), operation::get_properties);
    EXPECT_EQ(find_operation(properties_resource{}, verb::put, absent), operation::set_properties);
    EXPECT_EQ(find_operation(stats_resource{}, verb::get, absent), operation::get_stats);
    EXPECT_EQ(find_operation(table_set_resource{}, verb::get, absent), operation::query_tables);
    EXPECT_EQ(find_operation(table_set_resource{}, verb::post, absent), operation::create_table);
    EXPECT_EQ(find_operation(table_resource{"T"}, verb::get, absent), operation::get_table);
    EXPECT_EQ(find_operation(table_resource{"T"}, verb::remove, absent), operation::delete_table);
    EXPECT_EQ(find_operation(batch_resource{}, verb::post, absent), operation::batch);
    EXPECT_EQ(find_operation(acl_resource{"T"}, verb::get, absent), operation::get_acl);
    EXPECT_EQ(find_operation(acl_resource{"T"}, verb::put, absent), operation::set_acl);
    EXPECT_EQ(find_operation(entity_set_resource{"T"}, verb::get, absent), operation::query_entities);
    EXPECT_EQ(find_operation(entity_set_resource{"T"}, verb::post, present), operation::insert_entity);
    EXPECT_EQ(find_operation(entity, verb::get, present), operation::get_entity);
    EXPECT_EQ(find_operation(entity, verb::put, present), operation::replace_entity);
    EXPECT_EQ(find_operation(entity, verb::put, absent), operation::insert_or_replace_entity);
    EXPECT_EQ(find_operation(entity, verb::merge, present), operation::merge_entity);
    EXPECT_EQ(find_operation(entity, verb::merge, absent), operation::insert_or_merge_entity);
    EXPECT_EQ(find_operation(entity, verb::remove, present), operation::delete_entity);
}

TEST(operation, other_verbs_are_not_allowed_and_allow_says_which_are) {
    const std::pair<resource, std::string_view> cases[] = {
        {properties_resource{}, "GET, PUT, OPTIONS"},
        {stats_resource{}, "GET, OPTIONS"},
        {table_set_resource{}, "GET, POST, OPTIONS"},
        {batch_resource{}, "POST, OPTIONS"},
        {table_resource{"T"}, "GET, DELETE, OPTIONS"},
        {acl_resource{"T"}, "GET, PUT, OPTIONS"},
        {entity_set_resource{"T"}, "GET, POST, OPTIONS"},
        {entity_resource{"T", "", ""}, "GET, PUT, PATCH, MERGE, DELETE, OPTIONS"},
    };
    const std::pair<verb, std::string_view> verbs[] = {{verb::get, "GET"},     {verb::put, "PUT"},       {verb::post, "POST"},
                                                       {verb::merge, "MERGE"}, {verb::remove, "DELETE"}, {verb::other, "HEAD"}};
    for (const auto& [target, allowed] : cases) {
        EXPECT_EQ(allowed_methods(target), allowed);
        for (const auto& [method, spelling] : verbs) {
            const auto found = find_operation(target, method, if_match_header::absent);
            EXPECT_EQ(found.has_value(), allowed.contains(spelling)) << allowed << ' ' << spelling;
            if (!found) {
                EXPECT_EQ(found.error().code, service_code::method_not_allowed);
            }
        }
    }
}

// T2
TEST(operation, writes_are_those_the_secondary_refuses) {
    unsigned reads = 0;
    for (unsigned i = 0; i <= static_cast<unsigned>(operation::batch); ++i) {
        reads += is_write(static_cast<operation>(i)) ? 0 : 1;
    }
    EXPECT_EQ(reads, 8U);
    EXPECT_TRUE(is_write(operation::insert_or_merge_entity));
    EXPECT_TRUE(is_write(operation::set_acl));
    EXPECT_FALSE(is_write(operation::get_entity));
}

} // namespace
