#include "service/core/service_xml.hh"

#include <gtest/gtest.h>

namespace {

using namespace service;

std::string printed(const std::vector<signed_identifier>& identifiers) {
    std::string out;
    append_acl(out, identifiers);
    return out;
}

std::string document(std::string_view identifiers) {
    return "<?xml version=\"1.0\" encoding=\"utf-8\"?><SignedIdentifiers>" + std::string(identifiers) + "</SignedIdentifiers>";
}

std::string with_id(std::string_view id, std::string_view policy = "") {
    return "<SignedIdentifier><Id>" + std::string(id) + "</Id>" + std::string(policy) + "</SignedIdentifier>";
}

// T125
TEST(service_xml, policies_are_read_back_with_seven_digit_times) {
    const auto parsed = parse_acl(document(
        "\n<SignedIdentifier><Id>readers</Id><AccessPolicy>\n<Start>2026-01-01T00:00:00Z</Start><Expiry>2027-01-01</Expiry>"
        "<Permission>r</Permission>\n</AccessPolicy></SignedIdentifier>"));
    ASSERT_TRUE(parsed);
    ASSERT_EQ(parsed->size(), 1U);
    EXPECT_EQ(parsed->front().id, "readers");
    EXPECT_EQ(parsed->front().policy->start, base::parse_time("2026-01-01"));
    EXPECT_EQ(parsed->front().policy->permission, "r");
    EXPECT_EQ(
        printed(*parsed),
        document(with_id("readers", "<AccessPolicy><Start>2026-01-01T00:00:00.0000000Z</Start>"
                                    "<Expiry>2027-01-01T00:00:00.0000000Z</Expiry><Permission>r</Permission></AccessPolicy>")));
    EXPECT_EQ(parse_acl(printed(*parsed)), *parsed);
}

TEST(service_xml, absent_parts_stay_absent) {
    const auto parsed =
        parse_acl(document(with_id("a") + with_id("b", "<AccessPolicy/>") +
                           with_id("c", "<AccessPolicy><Start></Start><Expiry/><Permission>raud</Permission></AccessPolicy>")));
    ASSERT_TRUE(parsed);
    EXPECT_EQ(printed(*parsed), document(with_id("a") + with_id("b", "<AccessPolicy />") +
                                         with_id("c", "<AccessPolicy><Permission>raud</Permission></AccessPolicy>")));
    EXPECT_EQ(parse_acl(printed(*parsed)), *parsed);
}

TEST(service_xml, nothing_clears_the_list) {
    for (auto xml : {"", "  \r\n", "<SignedIdentifiers/>", "<?xml version='1.0'?><SignedIdentifiers></SignedIdentifiers>"}) {
        const auto parsed = parse_acl(xml);
        ASSERT_TRUE(parsed) << xml;
        EXPECT_TRUE(parsed->empty());
    }
    EXPECT_EQ(printed({}), "<?xml version=\"1.0\" encoding=\"utf-8\"?><SignedIdentifiers />");
}

TEST(service_xml, ids_are_escaped) {
    const std::vector<signed_identifier> identifiers{{"<a&b>'\" é", std::nullopt}};
    EXPECT_EQ(parse_acl(printed(identifiers)), identifiers);
}

// T125
TEST(service_xml, lists_that_break_a_rule_are_invalid) {
    const std::string five = with_id("1") + with_id("2") + with_id("3") + with_id("4") + with_id("5");
    EXPECT_TRUE(parse_acl(document(five)));
    EXPECT_TRUE(parse_acl(document(with_id(std::string(64, 'x')))));
    auto policy = [](std::string_view inner) {
        return document(with_id("a", "<AccessPolicy>" + std::string(inner) + "</AccessPolicy>"));
    };
    for (const auto& xml : std::vector<std::string>{
             document(five + with_id("6")), document(with_id("1") + with_id("1")), document(with_id("")),
             document(with_id(std::string(65, 'x'))), document("<SignedIdentifier/>"), document("<Other/>"),
             document("<SignedIdentifier><Id>a</Id><Id>b</Id></SignedIdentifier>"),
             document("<SignedIdentifier><Id>a</Id><Other/></SignedIdentifier>"), policy("<Permission>rw</Permission>"),
             policy("<Permission>R</Permission>"), policy("<Start>yesterday</Start>"),
             policy("<Expiry>2026-01-01T00:00:00+01:00</Expiry>"), policy("<Other/>"),
             policy("<Start>2026-01-01</Start><Start>2026-01-01</Start>"), "<Other/>", "<SignedIdentifiers>", "{}"}) {
        const auto parsed = parse_acl(xml);
        ASSERT_FALSE(parsed) << xml;
        EXPECT_EQ(parsed.error().code, service_code::invalid_xml_document);
    }
}

// T129
TEST(service_xml, stats_show_the_last_sync_only_while_live) {
    const auto time = *base::parse_time("2026-11-16T01:01:51.9Z");
    auto stats = [&](replication_status status) {
        std::string out;
        append_stats(out, status, time);
        return out;
    };
    EXPECT_EQ(stats(replication_status::live),
              "<?xml version=\"1.0\" encoding=\"utf-8\"?><StorageServiceStats><GeoReplication><Status>live</Status>"
              "<LastSyncTime>Mon, 16 Nov 2026 01:01:51 GMT</LastSyncTime></GeoReplication></StorageServiceStats>");
    EXPECT_TRUE(stats(replication_status::bootstrap).contains("<Status>bootstrap</Status><LastSyncTime></LastSyncTime>"));
    EXPECT_TRUE(stats(replication_status::unavailable).contains("<Status>unavailable</Status><LastSyncTime></LastSyncTime>"));
}

} // namespace
