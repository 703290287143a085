#include "service/core/entity_json.hh"

#include <gtest/gtest.h>

#include <cmath>

#include "service/core/base64.hh"
#include "service/core/limits.hh"

namespace {

using namespace service;
using tables::value;
using tables::value_type;

constexpr std::string_view bad_value_text = "An error occurred while processing this request.";

outcome<parsed_entity> parse(std::string_view body, entity_body kind = entity_body::replace) {
    static entity_parser parser;
    return parser.parse(body, kind);
}

// The value of property "x" of a body; every case here has exactly that one.
value x_of(std::string_view body) {
    const auto entity = parse(body);
    EXPECT_TRUE(entity) << body << ": " << entity.error().text();
    if (!entity || entity->properties.size() != 1 || entity->properties[0].name != "x") {
        ADD_FAILURE() << body;
        return value::of_boolean(false);
    }
    // Strings and binaries point into the entity, which goes.
    static std::string kept;
    const auto& found = entity->properties[0].value;
    if (found.type() == value_type::string) {
        kept = found.as_string();
        return value::of_string(kept);
    }
    if (found.type() == value_type::binary) {
        kept = found.as_binary();
        return value::of_binary(kept);
    }
    return found;
}

void expect_x(std::string_view body, const value& wanted) {
    EXPECT_TRUE(identical(x_of(body), wanted)) << body;
}

service_error error_of(std::string_view body, entity_body kind = entity_body::replace) {
    const auto entity = parse(body, kind);
    EXPECT_FALSE(entity) << body;
    return entity ? service_error{service_code::internal_error} : entity.error();
}

void expect_bad_value(std::string_view body) {
    EXPECT_EQ(error_of(body).code, service_code::invalid_input) << body;
    EXPECT_EQ(error_of(body).text(), bad_value_text) << body;
}

std::string typed(std::string_view json, std::string_view type) {
    return R"({"x@odata.type":"Edm.)" + std::string(type) + R"(","x":)" + std::string(json) + "}";
}

// T42, T43
TEST(entity_json, types_are_inferred_without_annotation) {
    expect_x(R"({"x":"text"})", value::of_string("text"));
    expect_x(R"({"x":true})", value::of_boolean(true));
    expect_x(R"({"x":false})", value::of_boolean(false));
    expect_x(R"({"x":5})", value::of_int32(5));
    expect_x(R"({"x":-2147483648})", value::of_int32(INT32_MIN));
    expect_x(R"({"x":2147483647})", value::of_int32(INT32_MAX));
    expect_x(R"({"x":2147483648})", value::of_real(2147483648.0));
    expect_x(R"({"x":5000000000})", value::of_real(5e9));
    expect_x(R"({"x":123456789012345678901234567890})", value::of_real(123456789012345678901234567890.0));
    expect_x(R"({"x":5.0})", value::of_real(5));
    expect_x(R"({"x":1e3})", value::of_real(1000));
    expect_x(R"({"x":-0})", value::of_int32(0));
    expect_x(R"({"x":-0.0})", value::of_real(-0.0));
    // Never inferred, whatever it looks like.
    expect_x(R"({"x":"2020-01-01T00:00:00Z"})", value::of_string("2020-01-01T00:00:00Z"));
}

// T41, T44, T45, T53
TEST(entity_json, annotated_values_have_the_annotated_type) {
    expect_x(typed(R"("text")", "String"), value::of_string("text"));
    expect_x(typed("true", "Boolean"), value::of_boolean(true));
    expect_x(typed(R"("False")", "Boolean"), value::of_boolean(false));
    expect_x(typed(R"("true")", "Boolean"), value::of_boolean(true));
    expect_x(typed("12", "Int32"), value::of_int32(12));
    expect_x(typed(R"("12")", "Int32"), value::of_int32(12));
    expect_x(typed(R"("-2147483648")", "Int32"), value::of_int32(INT32_MIN));
    expect_x(typed(R"("9223372036854775807")", "Int64"), value::of_int64(INT64_MAX));
    expect_x(typed(R"("-9223372036854775808")", "Int64"), value::of_int64(INT64_MIN));
    expect_x(typed("12", "Int64"), value::of_int64(12));
    expect_x(typed("5", "Double"), value::of_real(5));
    expect_x(typed(R"("5.5")", "Double"), value::of_real(5.5));
    expect_x(typed(R"("Infinity")", "Double"), value::of_real(INFINITY));
    expect_x(typed(R"("-Infinity")", "Double"), value::of_real(-INFINITY));
    EXPECT_TRUE(std::isnan(x_of(typed(R"("NaN")", "Double")).as_real()));
    expect_x(typed(R"("1973-10-04T00:00:00Z")", "DateTime"), value::of_datetime(*base::parse_time("1973-10-04")));
    expect_x(typed(R"("")", "Binary"), value::of_binary(""));
    expect_x(typed(R"("YmluYXJ5")", "Binary"), value::of_binary("binary"));
    expect_x(typed(R"("\u0059mluYXJ\u0035")", "Binary"), value::of_binary("binary"));
    EXPECT_EQ(x_of(typed(R"("C9DA6455-213D-42C9-9A79-3E9149A57833")", "Guid")).type(), value_type::guid);
}

// T44, T46, T49
TEST(entity_json, texts_that_do_not_fit_their_type_are_refused) {
    for (auto [json, type] : {std::pair("5", "String"),
                              {"true", "String"},
                              {"1", "Boolean"},
                              {R"("yes")", "Boolean"},
                              {R"("")", "Boolean"},
                              {"2147483648", "Int32"},
                              {"5.0", "Int32"},
                              {R"("5.0")", "Int32"},
                              {R"("")", "Int32"},
                              {"true", "Int32"},
                              {R"("9223372036854775808")", "Int64"},
                              {"9223372036854775808", "Int64"},
                              {"1e3", "Int64"},
                              {R"("x")", "Int64"},
                              {"1e400", "Double"},
                              {R"("1e400")", "Double"},
                              {R"("nan")", "Double"},
                              {R"("")", "Double"},
                              {"true", "Double"},
                              {R"("")", "DateTime"},
                              {"5", "DateTime"},
                              {R"("2020-01-01")", "DateTime"},
                              {R"("10000-01-01T00:00:00Z")", "DateTime"},
                              {R"("c9da6455")", "Guid"},
                              {"5", "Guid"},
                              {R"("YQ")", "Binary"},
                              {R"("Y Q=")", "Binary"},
                              {"5", "Binary"}}) {
        expect_bad_value(typed(json, type));
    }
    expect_bad_value(R"({"x":1e400})");
}

// T47, T48
TEST(entity_json, datetimes_run_from_1601_to_9999) {
    expect_x(typed(R"("1601-01-01T00:00:00Z")", "DateTime"), value::of_datetime(base::datetime_min));
    expect_x(typed(R"("9999-12-31T23:59:59.9999999Z")", "DateTime"), value::of_datetime(base::tick_max));
    const auto e = error_of(typed(R"("1600-12-31T23:59:59Z")", "DateTime"));
    EXPECT_EQ(e.code, service_code::out_of_range_input);
    EXPECT_EQ(e.text(), "The 'x' parameter of value '12/31/1600 23:59:59' is out of range.");
}

TEST(entity_json, an_unknown_type_is_refused_where_it_matters) {
    for (auto type : {R"("Edm.Single")", R"("")", "5", "null", "true"}) {
        EXPECT_EQ(error_of(R"({"x@odata.type":)" + std::string(type) + R"(,"x":"1"})").code, service_code::invalid_input);
        EXPECT_TRUE(parse(R"({"y@odata.type":)" + std::string(type) + R"(,"x":"1"})")) << "an annotation of nothing";
    }
}

// T52
TEST(entity_json, the_annotation_may_follow_its_property) {
    expect_x(R"({"x":"12","x@odata.type":"Edm.Int64"})", value::of_int64(12));
    const auto entity = parse(R"({"b":"1","a@odata.type":"Edm.Int64","b@odata.type":"Edm.Int32","a":"2","a1":"3"})");
    ASSERT_TRUE(entity);
    ASSERT_EQ(entity->properties.size(), 3U);
    EXPECT_TRUE(identical(entity->properties[0].value, value::of_int64(2)));
    EXPECT_TRUE(identical(entity->properties[1].value, value::of_string("3")));
    EXPECT_TRUE(identical(entity->properties[2].value, value::of_int32(1)));
}

// T57
TEST(entity_json, properties_come_sorted_and_case_matters) {
    const auto entity = parse(R"({"b":1,"é":2,"a":3,"B":4,"_":5,"Birthday":6,"birthday":7})");
    ASSERT_TRUE(entity);
    std::string names;
    for (const auto& p : entity->properties) {
        names.append(p.name).append(" ");
    }
    EXPECT_EQ(names, "B Birthday _ a b birthday é ");
}

// T54
TEST(entity_json, nulls_are_left_out) {
    const auto entity = parse(R"({"a":null,"b":1,"c":null,"c@odata.type":"Edm.Int64","Timestamp":null})");
    ASSERT_TRUE(entity);
    ASSERT_EQ(entity->properties.size(), 1U);
    EXPECT_EQ(entity->properties[0].name, "b");
}

// T59
TEST(entity_json, what_clients_send_back_is_ignored_but_etag_is_a_property) {
    const auto entity =
        parse(R"({"odata.metadata":"m","odata.type":"t","odata.id":5,"odata.etag":"W/\"x\"","odata.editLink":true,)"
              R"("Timestamp@odata.type":"Edm.DateTime","Timestamp":"not even a time","ETag":"mine"})");
    ASSERT_TRUE(entity);
    ASSERT_EQ(entity->properties.size(), 1U);
    EXPECT_EQ(entity->properties[0].name, "ETag");
    EXPECT_EQ(entity->properties[0].value.as_string(), "mine");
}

// T58
TEST(entity_json, a_name_twice_is_refused) {
    for (auto body :
         {R"({"x":1,"x":1})", R"({"x":1,"y":2,"x":null})", R"({"x":1,"\u0078":2})", R"({"Timestamp":null,"Timestamp":null})",
          R"({"x":1,"x@odata.type":"Edm.Int32","x@odata.type":"Edm.Int32"})", R"({"RowKey":"a","RowKey":"a"})"}) {
        EXPECT_EQ(error_of(body).code, service_code::duplicate_properties_specified) << body;
    }
}

TEST(entity_json, an_insert_has_its_keys_in_the_body) {
    const auto entity = parse(R"({"PartitionKey":"at","RowKey":"wi\u0065n é","pop":1900000,"RowKey@odata.type":"Edm.String"})",
                              entity_body::insert);
    ASSERT_TRUE(entity);
    EXPECT_EQ(entity->partition_key, "at");
    EXPECT_EQ(entity->row_key, "wien é");
    ASSERT_EQ(entity->properties.size(), 1U);
    EXPECT_TRUE(identical(entity->properties[0].value, value::of_int32(1900000)));
}

// T5
TEST(entity_json, empty_keys_are_keys) {
    const auto entity = parse(R"({"PartitionKey":"","RowKey":""})", entity_body::insert);
    ASSERT_TRUE(entity);
    EXPECT_EQ(entity->partition_key, "");
}

// T28
TEST(entity_json, missing_and_null_keys_need_a_value) {
    for (auto body : {R"({})", R"({"PartitionKey":"a"})", R"({"RowKey":"a"})", R"({"PartitionKey":"a","RowKey":null})",
                      R"({"PartitionKey":null,"RowKey":"a"})", R"({"partitionkey":"a","rowkey":"b"})"}) {
        EXPECT_EQ(error_of(body, entity_body::insert).code, service_code::properties_need_value) << body;
    }
    EXPECT_EQ(error_of(R"({"RowKey":null})", entity_body::merge).code, service_code::properties_need_value);
}

// T29
TEST(entity_json, keys_of_an_insert_are_strings) {
    for (auto body :
         {R"({"PartitionKey":"a","RowKey":5})", R"({"PartitionKey":true,"RowKey":"a"})",
          R"({"PartitionKey":"a","RowKey":"5","RowKey@odata.type":"Edm.Int32"})",
          R"({"PartitionKey@odata.type":"Edm.Guid","PartitionKey":"c9da6455-213d-42c9-9a79-3e9149a57833","RowKey":""})"}) {
        EXPECT_EQ(error_of(body, entity_body::insert).code, service_code::invalid_input) << body;
        EXPECT_EQ(error_of(body, entity_body::insert).text(), "One of the request inputs is not valid.") << body;
    }
}

// T30
TEST(entity_json, forbidden_characters_in_keys_name_the_key_and_its_value) {
    for (std::string raw : {"/", "\\\\", "#", "?", "\\t", "\\u0081", "\\u0000", "\\u007f"}) {
        const auto e = error_of(R"({"PartitionKey":"p","RowKey":"a)" + raw + R"("})", entity_body::insert);
        EXPECT_EQ(e.code, service_code::out_of_range_input) << raw;
    }
    EXPECT_EQ(error_of(R"({"PartitionKey":"a/b","RowKey":"r"})", entity_body::insert).text(),
              "The 'PartitionKey' parameter of value 'a/b' is out of range.");
}

// T31
TEST(entity_json, keys_over_512_units_are_too_large) {
    auto body = [](size_t units) { return R"({"PartitionKey":")" + std::string(units, 'k') + R"(","RowKey":""})"; };
    EXPECT_TRUE(parse(body(512), entity_body::insert));
    EXPECT_EQ(error_of(body(513), entity_body::insert).code, service_code::property_value_too_large);
    EXPECT_EQ(error_of(body(2048), entity_body::insert).code, service_code::property_value_too_large);
}

// T73
TEST(entity_json, keys_in_the_body_of_an_update_say_nothing) {
    for (auto kind : {entity_body::replace, entity_body::merge}) {
        const auto entity = parse(
            R"({"PartitionKey":5,"RowKey":"c9da6455-213d-42c9-9a79-3e9149a57833","RowKey@odata.type":"Edm.Guid","a":1})", kind);
        ASSERT_TRUE(entity);
        EXPECT_TRUE(entity->partition_key.empty());
        EXPECT_EQ(entity->properties.size(), 1U);
    }
}

TEST(entity_json, only_a_merge_may_have_no_body) {
    EXPECT_TRUE(parse("", entity_body::merge));
    EXPECT_TRUE(parse(" \r\n", entity_body::merge));
    EXPECT_TRUE(parse("{}", entity_body::merge));
    EXPECT_TRUE(parse("{}", entity_body::replace));
    EXPECT_EQ(error_of("", entity_body::replace).code, service_code::invalid_input);
    EXPECT_EQ(error_of("", entity_body::insert).code, service_code::invalid_input);
}

// T62
TEST(entity_json, malformed_json_is_invalid_input) {
    for (std::string_view body : {
             "{",
             "}",
             "[]",
             "5",
             "\"x\"",
             "null",
             "nul",
             R"({"x")",
             R"({"x":})",
             R"({"x":1)",
             R"({"x":1,})",
             R"({,"x":1})",
             R"({"x" 1})",
             R"({"x":1 2})",
             R"({"x":1}{})",
             R"({"x":1}x)",
             R"({"x":1}])",
             R"({x:1})",
             R"({'x':1})",
             R"({"x":tru})",
             R"({"x":truee})",
             R"({"x":nul})",
             R"({"x":01})",
             R"({"x":1.})",
             R"({"x":.5})",
             R"({"x":+1})",
             R"({"x":-})",
             R"({"x":1e})",
             R"({"x":0x10})",
             R"({"x":NaN})",
             R"({"x":Infinity})",
             R"({"x":"\q"})",
             R"({"x":"\u12"})",
             R"({"x":"\ud800"})",
             R"({"x":"\ud800\u0041"})",
             R"({"x":"\udc00"})",
             R"({"x":"})",
             R"({"x":"\"})",
             R"({"\q":1})",
             "{\"x\":\"\n\"}",
             "{\"x\":\"\xff\"}",
             "{\"x\":\"\xc3\"}",
             "{\"\xff\":1}",
             R"({"x":"a"b})",
             R"({"x":1/**/})",
             R"({"x":"a""b"})",
             R"({"x":"a" "b":1})",
             R"({"x":true false})",
             R"({"x"::1})",
             R"({"x":"":"y"})",
             R"({"x":"y":1})",
             R"({"a":1,,"b":2})",
         }) {
        EXPECT_EQ(error_of(body).code, service_code::invalid_input) << body;
    }
    EXPECT_EQ(error_of(std::string_view("{\"x\":\0}", 7)).code, service_code::invalid_input);
}

TEST(entity_json, nested_values_are_invalid_input) {
    for (auto body : {R"({"x":{}})", R"({"x":[]})", R"({"x":[1,2]})", R"({"x":{"y":{"z":1}},"w":1})", R"({"Timestamp":{}})"}) {
        EXPECT_EQ(error_of(body).code, service_code::invalid_input) << body;
    }
}

TEST(entity_json, blanks_stand_anywhere) {
    expect_x(" \t\r\n{ \"x\" \r\n:\t5 , \"x@odata.type\" : \"Edm.Int64\" \n} \r\n", value::of_int64(5));
}

TEST(entity_json, strings_are_unescaped) {
    expect_x(R"({"x":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\u0000 é😀"})",
             value::of_string(std::string_view("\"\\/\b\f\n\r\té😀\0 é😀", 22)));
    expect_x(R"({"\u0078":""})", value::of_string(""));
}

// T112: what looks like a boundary, an object or a quote inside a string is text
TEST(entity_json, text_that_looks_like_syntax_survives) {
    expect_x(R"({"x":"--changeset_1\r\n{\"y\":[1,2]},"})", value::of_string("--changeset_1\r\n{\"y\":[1,2]},"));
}

TEST(entity_json, entities_keep_their_values_when_moved_and_when_the_parser_goes_on) {
    entity_parser parser;
    std::vector<parsed_entity> entities;
    for (int i = 0; i < 100; ++i) {
        auto entity = parser.parse(R"({"s":"text )" + std::to_string(i) + R"(\n","bin@odata.type":"Edm.Binary","bin":"YQ=="})",
                                   entity_body::replace);
        ASSERT_TRUE(entity);
        entities.push_back(*std::move(entity));
    }
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(entities[i].properties[0].value.as_binary(), "a");
        EXPECT_EQ(entities[i].properties[1].value.as_string(), "text " + std::to_string(i) + "\n");
    }
}

// T61
TEST(entity_json, bodies_are_bounded) {
    entity_parser parser;
    std::string body = R"({"x":")" + std::string(request_body_bytes_max - 8, 'a') + R"("})";
    ASSERT_EQ(body.size(), request_body_bytes_max);
    EXPECT_TRUE(parser.parse(body, entity_body::replace));
    body.push_back(' ');
    EXPECT_EQ(parser.parse(body, entity_body::replace).error().code, service_code::request_body_too_large);
    // And the next small one is fine.
    EXPECT_TRUE(parser.parse(R"({"x":1})", entity_body::replace));
}

// T55
TEST(entity_json, members_are_bounded) {
    auto body = [](size_t count) {
        std::string text = "{";
        for (size_t i = 0; i < count; ++i) {
            text += (i ? ",\"p" : "\"p") + std::to_string(i) + "\":1";
        }
        return text + "}";
    };
    EXPECT_EQ(parse(body(252))->properties.size(), 252U);
    EXPECT_TRUE(parse(body(json_members_max)));
    EXPECT_EQ(error_of(body(json_members_max + 1)).code, service_code::too_many_properties);
}

// T50, T51, T55, T56, T60: the limits of the model, with the codes they get on the wire
TEST(entity_json, the_limits_of_the_model_become_wire_codes) {
    auto check = [](std::string_view body) -> std::optional<service_code> {
        const auto entity = parse(body);
        EXPECT_TRUE(entity);
        const auto checked = tables::check_entity("p", "r", entity->properties);
        return checked ? std::nullopt : std::optional(to_service_error(checked.error()).code);
    };
    auto text_body = [](std::string text) { return R"({"x":")" + text + R"("})"; };
    auto binary_body = [](size_t bytes) {
        return typed('"' + text_of([&](text_sink& out) { put_base64(out, std::string(bytes, 'b')); }) + '"', "Binary");
    };
    EXPECT_EQ(check(text_body(std::string(32768, 's'))), std::nullopt);
    EXPECT_EQ(check(text_body(std::string(32769, 's'))), service_code::property_value_too_large);
    std::string emoji;
    for (int i = 0; i < 16384; ++i) {
        emoji += "😀";
    }
    EXPECT_EQ(check(text_body(emoji)), std::nullopt);
    EXPECT_EQ(check(text_body(emoji + "x")), service_code::property_value_too_large);
    EXPECT_EQ(check(binary_body(65536)), std::nullopt);
    EXPECT_EQ(check(binary_body(65537)), service_code::property_value_too_large);
    EXPECT_EQ(check("{\"" + std::string(255, 'n') + "\":1}"), std::nullopt);
    EXPECT_EQ(check("{\"" + std::string(256, 'n') + "\":1}"), service_code::property_name_too_long);
    for (auto name : {"123", "a-b", "a b", "", "a.b"}) {
        EXPECT_EQ(check("{\"" + std::string(name) + "\":1}"), service_code::property_name_invalid) << name;
    }
}

TEST(entity_json, the_name_of_a_new_table) {
    entity_parser parser;
    EXPECT_EQ(parser.parse_table_name(R"({"TableName":"Cities"})"), "Cities");
    EXPECT_EQ(parser.parse_table_name(R"({"odata.metadata":"x","TableName":"C\u0069ties"})"), "Cities");
    EXPECT_EQ(parser.parse_table_name(R"({})").error().code, service_code::properties_need_value);
    EXPECT_EQ(parser.parse_table_name(R"({"TableName":null})").error().code, service_code::properties_need_value);
    EXPECT_EQ(parser.parse_table_name(R"({"TableName":5})").error().code, service_code::invalid_input);
    EXPECT_EQ(parser.parse_table_name(R"({"TableName":"a","TableName":"b"})").error().code,
              service_code::duplicate_properties_specified);
    EXPECT_EQ(parser.parse_table_name("").error().code, service_code::invalid_input);
}

} // namespace
