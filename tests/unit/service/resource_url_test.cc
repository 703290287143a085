#include "service/core/resource_url.hh"

#include <gtest/gtest.h>

namespace {

using namespace service;

outcome<resource> parse(std::string_view path) {
    return parse_resource(path, std::nullopt, std::nullopt);
}

entity_resource entity(std::string_view path) {
    const auto parsed = parse(path);
    EXPECT_TRUE(parsed) << path;
    return parsed ? std::get<entity_resource>(*parsed) : entity_resource{};
}

service_error error_of(std::string_view path) {
    const auto parsed = parse(path);
    EXPECT_FALSE(parsed) << path;
    return parsed ? service_error{service_code::internal_error} : parsed.error();
}

TEST(resource_url, every_shape_is_told_apart) {
    EXPECT_EQ(parse("/Tables"), resource(table_set_resource{}));
    EXPECT_EQ(parse("/Tables()"), resource(table_set_resource{}));
    EXPECT_EQ(parse("/Tables()/"), resource(table_set_resource{}));
    EXPECT_EQ(parse("/Tables('Cities')"), resource(table_resource{"Cities"}));
    EXPECT_EQ(parse("/Tables(%27Cities%27)"), resource(table_resource{"Cities"}));
    EXPECT_EQ(parse("/$batch"), resource(batch_resource{}));
    EXPECT_EQ(parse("/%24batch"), resource(batch_resource{}));
    EXPECT_EQ(parse("/Cities"), resource(entity_set_resource{"Cities"}));
    EXPECT_EQ(parse("/Cities()"), resource(entity_set_resource{"Cities"}));
    EXPECT_EQ(parse("/Cities/"), resource(entity_set_resource{"Cities"}));
    EXPECT_EQ(parse("/Cities%28%29"), resource(entity_set_resource{"Cities"}));
    EXPECT_EQ(parse("/T(PartitionKey='p',RowKey='r')"), resource(entity_resource{"T", "p", "r"}));
}

TEST(resource_url, the_service_itself_needs_restype_and_comp) {
    for (auto path : {"", "/"}) {
        EXPECT_EQ(parse_resource(path, "service", "properties"), resource(properties_resource{}));
        EXPECT_EQ(parse_resource(path, "service", "stats"), resource(stats_resource{}));
        EXPECT_EQ(parse_resource(path, "service", "acl").error().code, service_code::invalid_query_parameter_value);
        EXPECT_EQ(parse_resource(path, "table", "stats").error().code, service_code::invalid_query_parameter_value);
        EXPECT_EQ(parse_resource(path, "service", std::nullopt).error().code, service_code::missing_required_query_parameter);
        EXPECT_EQ(parse_resource(path, std::nullopt, "stats").error().code, service_code::missing_required_query_parameter);
    }
}

TEST(resource_url, comp_acl_names_the_policies_of_a_table) {
    EXPECT_EQ(parse_resource("/Cities", std::nullopt, "acl"), resource(acl_resource{"Cities"}));
    EXPECT_EQ(parse_resource("/Cities", std::nullopt, "lease").error().code, service_code::invalid_query_parameter_value);
    EXPECT_EQ(parse_resource("/Tables", std::nullopt, "acl").error().code, service_code::invalid_query_parameter_value);
    EXPECT_EQ(parse_resource("/T(PartitionKey='p',RowKey='r')", std::nullopt, "acl").error().code,
              service_code::invalid_query_parameter_value);
}

// T4
TEST(resource_url, quotes_raw_or_escaped_are_the_same_key) {
    const entity_resource wanted{"T", "a'b", "x"};
    EXPECT_EQ(entity("/T(PartitionKey='a''b',RowKey='x')"), wanted);
    EXPECT_EQ(entity("/T(PartitionKey='a%27%27b',RowKey='x')"), wanted);
    EXPECT_EQ(entity("/T(PartitionKey=%27a''b%27,RowKey='x')"), wanted);
    EXPECT_EQ(entity("/T(PartitionKey='a''b''''c',RowKey='''')"), (entity_resource{"T", "a'b''c", "'"}));
}

// T5
TEST(resource_url, empty_keys_are_keys) {
    EXPECT_EQ(entity("/T(PartitionKey='',RowKey='')"), (entity_resource{"T", "", ""}));
}

// T6, and every raw path of the table of test vectors
TEST(resource_url, keys_hold_everything_but_the_forbidden) {
    const struct {
        std::string_view raw, key;
    } cases[] = {
        {"a%25b", "a%b"},
        {"a%2Bb%26c%3Dd", "a+b&c=d"},
        {"a+b", "a+b"},
        {"%C3%A9%F0%9F%98%80", "é😀"},
        {"%3C%22%7C%3E", "<\"|>"},
        {"(x%2Cy)", "(x,y)"},
        {"(x,y)", "(x,y)"},
        {"a''b''''c", "a'b''c"},
        {"~!*.-_", "~!*.-_"},
        {"a%3Ab%3Bc%40d%24e", "a:b;c@d$e"},
        {"%7B%5B%5E%60%5D%7D", "{[^`]}"},
        {"%20lead", " lead"},
        {"a%252Fb", "a%2Fb"},
        {"x'',RowKey=''y", "x',RowKey='y"},
        {"%E2%80%A8", "\xe2\x80\xa8"},
    };
    for (const auto& c : cases) {
        const auto found = entity("/T(PartitionKey='" + std::string(c.raw) + "',RowKey='r')");
        EXPECT_EQ(found.partition_key, c.key);
        EXPECT_EQ(found.row_key, "r");
    }
}

// T7
TEST(resource_url, keys_come_in_either_order_with_blanks_after_the_comma) {
    EXPECT_EQ(entity("/T(RowKey='r',PartitionKey='p')"), (entity_resource{"T", "p", "r"}));
    EXPECT_EQ(entity("/T(PartitionKey='p',%20%20RowKey='r')"), (entity_resource{"T", "p", "r"}));
}

// T8
TEST(resource_url, malformed_shapes_are_syntax_errors) {
    for (auto path : {
             "/T(PartitionKey='p')",
             "/T(RowKey='r')",
             "/T('p','r')",
             "/T('p')",
             "/T(p)",
             "/T(",
             "/T(PartitionKey='p',RowKey='r'",
             "/T(PartitionKey='p',RowKey='r')x",
             "/T(PartitionKey='p',RowKey='r',X='y')",
             "/T(PartitionKey='p',PartitionKey='q')",
             "/T(RowKey='p',RowKey='q')",
             "/T(partitionkey='p',rowkey='r')",
             "/T(PartitionKey=p,RowKey='r')",
             "/T(PartitionKey='p' ,RowKey='r')",
             "/T(PartitionKey='p';RowKey='r')",
             "/T(PartitionKey='p',RowKey='r)",
             "/T(PartitionKey='p'RowKey='r')",
             "/()",
             "/T( )",
             "/Tables(Cities)",
             "/Tables('a','b')",
             "/Tables('a'b)",
             "/Tables(PartitionKey='p',RowKey='r')",
             "/T(PartitionKey='a%2Fb',RowKey='')",
             "/T(PartitionKey='a',RowKey='%5C')",
             "/T(PartitionKey='a',RowKey='b\\c')",
         }) {
        const auto e = error_of(path);
        EXPECT_EQ(e.code, service_code::invalid_input) << path;
        EXPECT_EQ(e.text(), "Bad Request - Error in query syntax.") << path;
    }
}

// T30 for keys in URLs
TEST(resource_url, forbidden_characters_in_keys_are_out_of_range) {
    for (auto raw : {"%23", "%3F", "%00", "%09", "%1F", "%7F", "%C2%81"}) {
        const auto e = error_of("/T(PartitionKey='p',RowKey='a" + std::string(raw) + "')");
        EXPECT_EQ(e.code, service_code::out_of_range_input) << raw;
        EXPECT_EQ(e.text(), "One of the request inputs is out of range.");
    }
}

// T31 for keys in URLs
TEST(resource_url, keys_over_512_units_are_too_large) {
    EXPECT_EQ(entity("/T(PartitionKey='" + std::string(512, 'a') + "',RowKey='')").partition_key.size(), 512U);
    EXPECT_EQ(error_of("/T(PartitionKey='" + std::string(513, 'a') + "',RowKey='')").code,
              service_code::property_value_too_large);
}

TEST(resource_url, a_second_segment_is_no_resource) {
    for (auto path : {"/T/x", "//T", "/Tables('a')/b", "/T(PartitionKey='a/b',RowKey='')"}) {
        EXPECT_EQ(error_of(path).code, service_code::invalid_uri) << path;
    }
}

TEST(resource_url, bad_escapes_and_bad_utf8_are_refused) {
    EXPECT_EQ(error_of("/T%").code, service_code::request_url_failed_to_parse);
    EXPECT_EQ(error_of("/T%2").code, service_code::request_url_failed_to_parse);
    EXPECT_EQ(error_of("/T%zz").code, service_code::request_url_failed_to_parse);
    EXPECT_EQ(error_of("/T(PartitionKey='%FF',RowKey='')").code, service_code::invalid_input);
    EXPECT_EQ(error_of("/%C3").code, service_code::invalid_input);
    EXPECT_EQ(error_of("/$metadata").code, service_code::not_implemented);
}

// T36 for the path in odata.id, odata.editLink and Location
TEST(resource_url, printed_paths_double_quotes_and_escape_the_rest) {
    auto path = [](std::string_view pk, std::string_view rk) {
        return text_of([&](text_sink& out) { put_entity_path(out, "Cities", pk, rk); });
    };
    EXPECT_EQ(path("at", "0'1"), "Cities(PartitionKey='at',RowKey='0''1')");
    EXPECT_EQ(path("", ""), "Cities(PartitionKey='',RowKey='')");
    EXPECT_EQ(path("a b", "é\"\\"), "Cities(PartitionKey='a%20b',RowKey='%C3%A9%22%5C')");
    EXPECT_EQ(path("a%+&=,", "(~!*.-_)"), "Cities(PartitionKey='a%25%2B%26%3D%2C',RowKey='(~!*.-_)')");
    EXPECT_EQ(text_of([](text_sink& out) { put_table_path(out, "Cities"); }), "Tables('Cities')");
}

TEST(resource_url, printed_paths_read_back_as_the_same_entity) {
    for (std::string key : {"", "a'b", "''", "%41", "a+b c", "é😀", ",RowKey='", "(x)", "\"|<>{}[]^`"}) {
        const auto path = "/" + text_of([&](text_sink& out) { put_entity_path(out, "T", key, key + "x"); });
        EXPECT_EQ(entity(path), (entity_resource{"T", key, key + "x"})) << path;
    }
}

} // namespace
