#include "tables/core/family/property_name.hh"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "tables/core/limits.hh"
#include "tests/unit/ingest/random_lines.hh"

namespace {

std::string property(std::string_view field) {
    std::string out;
    EXPECT_TRUE(tables::append_property_name(field, out)) << field;
    return out;
}

std::string field(std::string_view property) {
    std::string out;
    tables::append_field_name(property, out);
    return out;
}

TEST(property_name, identifiers_stay_as_they_are) {
    for (std::string_view name :
         {"usage_user", "x", "_", "__", "pos_x", "_x", "_x12", "_x004g_", "_x00e4_", "a1", "größe", "温度", "timestamp"}) {
        EXPECT_EQ(property(name), name);
        EXPECT_EQ(field(name), name);
    }
}

TEST(property_name, what_is_no_identifier_is_escaped) {
    const std::pair<std::string_view, std::string_view> cases[] = {
        {"load-1", "load_x002D_1"},
        {"5m", "_x0035_m"},
        {"a b", "a_x0020_b"},
        {"http.code", "http_x002E_code"},
        {"%", "_x0025_"},
        {"😀", "_x0001F600_"},
        {"a😀", "a_x0001F600_"},
        {"_x0041_", "_x005F_x0041_"},
        {"_x0041-", "_x005F_x0041_x002D_"},
        {"__x0041_", "__x005F_x0041_"},
        {"_x0001F600_", "_x005F_x0001F600_"},
        {"-x0041_", "_x002D_x0041_"},
        {std::string_view("\0", 1), "_x0000_"},
    };
    for (const auto& [name, expected] : cases) {
        EXPECT_EQ(property(name), expected);
        EXPECT_EQ(field(expected), name);
    }
}

TEST(property_name, what_is_not_utf8_is_no_name) {
    for (std::string_view name : {"\xff", "a\xff", "load-\xc3", "\xed\xa0\x80", "5\xf0\x9f\x98"}) {
        std::string out = "before";
        EXPECT_FALSE(tables::append_property_name(name, out));
        EXPECT_EQ(out, "before");
    }
}

TEST(property_name, the_systems_own_names_are_left_to_it) {
    EXPECT_EQ(property("PartitionKey"), "_x0050_artitionKey");
    EXPECT_EQ(property("RowKey"), "_x0052_owKey");
    EXPECT_EQ(property("Timestamp"), "_x0054_imestamp");
    for (std::string_view name : {"PartitionKey", "RowKey", "Timestamp"}) {
        EXPECT_FALSE(tables::is_plain_property_name(name));
        EXPECT_EQ(field(property(name)), name);
    }
}

TEST(property_name, a_property_that_no_field_has_is_left_as_far_as_it_has_no_escapes) {
    EXPECT_EQ(field("_xD800_"), "_xD800_");
    EXPECT_EQ(field("_x00110000_"), "_x00110000_");
    EXPECT_EQ(field("a_x002D_b_x"), "a-b_x");
}

TEST(property_name, it_must_fit) {
    std::string out = "before";
    EXPECT_TRUE(tables::append_property_name(std::string(255, 'a'), out));
    out = "before";
    EXPECT_FALSE(tables::append_property_name(std::string(256, 'a'), out));
    EXPECT_FALSE(tables::append_property_name(std::string(40, '-'), out));
    EXPECT_EQ(out, "before");
}

TEST(property_name, every_name_is_an_identifier_and_leads_back) {
    const uint64_t seed = std::random_device()();
    std::mt19937_64 random(seed);
    SCOPED_TRACE(seed);
    static constexpr std::string_view parts[] = {"_", "x",       "0041",   "005F", "0001F600", "_x", "-",
                                                 "A", "_x0041_", "_x0041", "9",    "é",        "😀", "Timestamp"};
    std::set<std::string> seen_names;
    std::set<std::string> seen_properties;
    for (int i = 0; i < 50'000; ++i) {
        std::string name;
        if (i % 4 == 0) {
            name = ingest_test::random_name(random);
        } else {
            for (size_t n = random() % 6 + 1; n > 0; --n) {
                name += ingest_test::pick(random, parts);
            }
        }
        std::string encoded;
        if (!tables::append_property_name(name, encoded)) {
            continue;
        }
        ASSERT_TRUE(tables::check_property_name(encoded)) << name << " -> " << encoded;
        ASSERT_EQ(field(encoded), name) << encoded;
        if (tables::is_plain_property_name(name)) {
            ASSERT_EQ(encoded, name);
        }
        seen_names.insert(name);
        seen_properties.insert(encoded);
    }
    EXPECT_EQ(seen_names.size(), seen_properties.size()) << "no two fields share a property";
}

} // namespace
