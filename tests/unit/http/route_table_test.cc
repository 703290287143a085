#include "http/core/route_table.hh"

#include <gtest/gtest.h>

namespace http {

static route_table sample() {
    route_table table;
    table.add("GET", "/v1/families");
    table.add("GET", "/v1/families/{name}/series");
    table.add("PUT", "/v1/retention/{name}");
    table.add("POST", "/v1/retention/run");
    table.add("GET", "/v1/retention/{name}");
    table.add("GET", "/");
    return table;
}

TEST(route_table, finds_the_route_and_its_parameters) {
    const auto table = sample();
    EXPECT_EQ(table.find("GET", "/v1/families")->route, 0u);
    EXPECT_EQ(table.find("GET", "/")->route, 5u);
    const auto found = table.find("GET", "/v1/families/cpu%2Ftotal+x/series");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->route, 1u);
    EXPECT_EQ(found->parameters, (path_parameters{{{"name", "cpu/total+x"}}}));
    EXPECT_EQ(found->parameters.get("name"), "cpu/total+x");
}

TEST(route_table, head_goes_where_get_goes) {
    EXPECT_EQ(sample().find("HEAD", "/v1/families")->route, 0u);
    EXPECT_EQ(sample().find("HEAD", "/v1/retention/run")->route, 4u);
}

TEST(route_table, a_path_that_fits_nothing_is_a_404) {
    for (auto path : {"/v1", "/v1/", "/v1/families/", "/v1/families/a", "/v1/families//series", "/v1/families/a/series/", "//",
                      "*", "", "/V1/families", "/v1/families/a/b/series"}) {
        const auto found = sample().find("GET", path);
        ASSERT_FALSE(found) << path;
        EXPECT_EQ(found.error(), route_table::miss{}) << path;
    }
}

TEST(route_table, a_method_that_fits_nothing_is_a_405_with_those_that_would) {
    EXPECT_EQ(sample().find("DELETE", "/v1/retention/x").error(), (route_table::miss{405, "PUT, GET"}));
    EXPECT_EQ(sample().find("get", "/v1/families").error(), (route_table::miss{405, "GET"}));
}

TEST(route_table, a_segment_that_cannot_be_decoded_is_a_400) {
    EXPECT_EQ(sample().find("GET", "/v1/families/%zz/series").error().status, 400u);
}

} // namespace http
