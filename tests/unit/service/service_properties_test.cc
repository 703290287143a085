#include "service/core/service_properties.hh"

#include <gtest/gtest.h>

namespace {

using namespace service;

constexpr std::string_view fresh = "<?xml version=\"1.0\" encoding=\"utf-8\"?><StorageServiceProperties>"
                                   "<Logging><Version>1.0</Version><Read>false</Read><Write>false</Write><Delete>false</Delete>"
                                   "<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></Logging>"
                                   "<HourMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>true</IncludeAPIs>"
                                   "<RetentionPolicy><Enabled>true</Enabled><Days>7</Days></RetentionPolicy></HourMetrics>"
                                   "<MinuteMetrics><Version>1.0</Version><Enabled>false</"
                                   "Enabled><RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></MinuteMetrics>"
                                   "<Cors /></StorageServiceProperties>";

std::string printed(const service_properties& properties) {
    std::string out;
    append_properties(out, properties);
    return out;
}

outcome<service_properties> apply(std::string_view parts, const service_properties& stored = {}) {
    return apply_properties(stored, "<StorageServiceProperties>" + std::string(parts) + "</StorageServiceProperties>");
}

std::string rule_xml(std::string_view methods = "GET", std::string_view origins = "http://a.example",
                     std::string_view allowed = "", std::string_view exposed = "", std::string_view age = "60") {
    std::string xml = "<CorsRule>";
    for (auto [name, text] : {std::pair("AllowedMethods", methods),
                              {"AllowedOrigins", origins},
                              {"AllowedHeaders", allowed},
                              {"ExposedHeaders", exposed},
                              {"MaxAgeInSeconds", age}}) {
        xml.append("<").append(name).append(">").append(text).append("</").append(name).append(">");
    }
    return xml + "</CorsRule>";
}

std::string cors(std::string_view rules) {
    return "<Cors>" + std::string(rules) + "</Cors>";
}

std::string many(size_t count, std::string_view item) {
    std::string list;
    for (size_t i = 0; i < count; ++i) {
        list += (i ? "," : "") + std::string(item);
    }
    return list;
}

TEST(service_properties, a_fresh_account_shows_the_defaults) {
    EXPECT_EQ(printed({}), fresh);
    EXPECT_EQ(apply_properties({}, fresh), service_properties{});
}

// T126
TEST(service_properties, parts_that_are_left_out_stay) {
    auto stored = *apply("<MinuteMetrics><Version>1.0</Version><Enabled>true</Enabled><IncludeAPIs>false</IncludeAPIs>"
                         "<RetentionPolicy><Enabled>true</Enabled><Days>365</Days></RetentionPolicy></MinuteMetrics>");
    EXPECT_TRUE(stored.minute_metrics.is_enabled);
    EXPECT_EQ(stored.minute_metrics.retention.days, 365U);
    const auto with_cors = apply(cors(rule_xml("GET,PUT", "http://a.example", "x-ms-*", "*")), stored);
    ASSERT_TRUE(with_cors);
    EXPECT_EQ(with_cors->minute_metrics, stored.minute_metrics);
    EXPECT_EQ(with_cors->hour_metrics, service_properties{}.hour_metrics);
    ASSERT_EQ(with_cors->cors.size(), 1U);
    EXPECT_EQ(with_cors->cors[0], (cors_rule{{"GET", "PUT"}, {"http://a.example"}, {"x-ms-*"}, {"*"}, 60}));
    EXPECT_TRUE(printed(*with_cors)
                    .contains("<Cors><CorsRule><AllowedMethods>GET,PUT</AllowedMethods><AllowedOrigins>http://a.example</"
                              "AllowedOrigins><AllowedHeaders>x-ms-*</AllowedHeaders>"
                              "<ExposedHeaders>*</ExposedHeaders><MaxAgeInSeconds>60</MaxAgeInSeconds></CorsRule></Cors>"));
    EXPECT_EQ(apply_properties({}, printed(*with_cors)), *with_cors);
    // An empty element removes all rules; an empty document changes nothing.
    EXPECT_TRUE(apply("<Cors />", *with_cors)->cors.empty());
    EXPECT_EQ(apply("", *with_cors), *with_cors);
}

TEST(service_properties, children_come_in_any_order_and_some_may_be_missing) {
    const auto parsed = apply("<Logging><Delete>True</Delete><Read>true</Read><Write>false</Write></Logging>");
    ASSERT_TRUE(parsed);
    EXPECT_TRUE(parsed->logging.deletes);
    EXPECT_TRUE(parsed->logging.reads);
    EXPECT_FALSE(parsed->logging.retention.is_enabled);
}

TEST(service_properties, apis_and_days_are_shown_only_where_they_count) {
    const auto parsed = apply("<HourMetrics><Version>1.0</Version><Enabled>false</Enabled><IncludeAPIs>true</IncludeAPIs>"
                              "<RetentionPolicy><Enabled>false</Enabled><Days>9</Days></RetentionPolicy></HourMetrics>");
    ASSERT_TRUE(parsed);
    EXPECT_TRUE(printed(*parsed).contains("<HourMetrics><Version>1.0</Version><Enabled>false</Enabled>"
                                          "<RetentionPolicy><Enabled>false</Enabled></RetentionPolicy></HourMetrics>"));
}

TEST(service_properties, literal_headers_come_before_prefixed_ones) {
    const auto parsed = apply(cors(rule_xml("GET", "*", "x-ms-meta*, etag ,x-ms-data*,date", "a*,b")));
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->cors[0].allowed_headers, (std::vector<std::string>{"etag", "date", "x-ms-meta*", "x-ms-data*"}));
    EXPECT_EQ(parsed->cors[0].exposed_headers, (std::vector<std::string>{"b", "a*"}));
}

// T127
TEST(service_properties, cors_rules_over_a_limit_are_an_invalid_document) {
    const auto five = rule_xml() + rule_xml() + rule_xml() + rule_xml() + rule_xml();
    EXPECT_TRUE(apply(cors(five)));
    EXPECT_TRUE(apply(cors(rule_xml("GET", many(64, "a")))));
    EXPECT_TRUE(apply(cors(rule_xml("GET", "*", many(64, "a") + ",b*,c*"))));
    EXPECT_TRUE(apply(cors(rule_xml("GET", std::string(256, 'o')))));
    const auto seven_long = many(7, std::string(256, 'o'));
    EXPECT_TRUE(apply(cors(rule_xml("GET", seven_long))));
    for (const auto& rules :
         {five + rule_xml(), rule_xml("GET", many(65, "a")), rule_xml("GET", "*", many(65, "a")),
          rule_xml("GET", "*", "", many(65, "a")), rule_xml("GET", "*", "a*,b*,c*"), rule_xml("GET", std::string(257, 'o')),
          rule_xml("GET", "*", std::string(257, 'h')), rule_xml("GET", many(8, std::string(256, 'o'))),
          rule_xml("GET", seven_long) + rule_xml("GET", many(2, std::string(128, 'o')))}) {
        const auto parsed = apply(cors(rules));
        ASSERT_FALSE(parsed) << rules;
        EXPECT_EQ(parsed.error().code, service_code::invalid_xml_document);
    }
}

TEST(service_properties, each_mistake_has_its_code) {
    const auto value = service_code::invalid_xml_node_value;
    const auto missing = service_code::missing_required_xml_node;
    const auto unsupported = service_code::unsupported_xml_node;
    const auto document = service_code::invalid_xml_document;
    const std::string metrics = "<HourMetrics><Enabled>true</Enabled>";
    const std::pair<std::string, service_code> cases[] = {
        {cors(rule_xml("GOT")), value},
        {cors(rule_xml("get")), value},
        {cors(rule_xml("")), value},
        {cors(rule_xml("GET", "")), value},
        {cors(rule_xml("GET", "*", "", "", "-1")), value},
        {cors(rule_xml("GET", "*", "", "", "x")), value},
        {cors(rule_xml("GET", "*", "", "", "")), value},
        {cors(rule_xml("GET", "*", "", "", "2147483648")), value},
        {cors("<CorsRule><AllowedOrigins>*</AllowedOrigins><MaxAgeInSeconds>1</MaxAgeInSeconds></CorsRule>"), missing},
        {cors("<CorsRule><AllowedOrigins>*</AllowedOrigins><AllowedMethods>GET</AllowedMethods></CorsRule>"), missing},
        {cors("<Rule/>"), unsupported},
        {metrics + "<RetentionPolicy><Enabled>true</Enabled><Days>0</Days></RetentionPolicy></HourMetrics>", value},
        {metrics + "<RetentionPolicy><Enabled>true</Enabled><Days>366</Days></RetentionPolicy></HourMetrics>", value},
        {metrics + "<RetentionPolicy><Enabled>true</Enabled></RetentionPolicy></HourMetrics>", missing},
        {metrics + "<RetentionPolicy/></HourMetrics>", missing},
        {metrics + "<IncludeAPIs>maybe</IncludeAPIs></HourMetrics>", value},
        {metrics + "<Version>one</Version></HourMetrics>", value},
        {metrics + "<Other/></HourMetrics>", unsupported},
        {metrics + "<Enabled>true</Enabled></HourMetrics>", document},
        {"<HourMetrics/>", missing},
        {"<Logging><Read>true</Read></Logging>", missing},
        {"<DefaultServiceVersion>x</DefaultServiceVersion>", unsupported},
        {"<Cors/><Cors/>", document},
    };
    for (const auto& [parts, code] : cases) {
        const auto parsed = apply(parts);
        ASSERT_FALSE(parsed) << parts;
        EXPECT_EQ(parsed.error().code, code) << parts;
    }
    EXPECT_EQ(apply_properties({}, "<Other/>").error().code, document);
    EXPECT_EQ(apply_properties({}, "").error().code, document);
}

} // namespace
