#include "cli/http_client.hh"

#include <gtest/gtest.h>

namespace {

TEST(http_client, servers_are_written_in_several_ways) {
    EXPECT_EQ(cli::parse_server("http://10.0.0.1:9000/x").value(), (cli::server_address{"10.0.0.1", 9000}));
    EXPECT_EQ(cli::parse_server("example").value(), (cli::server_address{"example", 8470}));
    EXPECT_EQ(cli::parse_server("example:1").value(), (cli::server_address{"example", 1}));
    EXPECT_EQ(cli::parse_server("https://example:1/").value(), (cli::server_address{"example", 1, true}));
    EXPECT_EQ(cli::parse_server("http://[::1]:31570").value(), (cli::server_address{"::1", 31570}));
    EXPECT_EQ(cli::parse_server("[fe80::1]").value(), (cli::server_address{"fe80::1", 8470}));
    for (auto text : {"", ":80", "http://", "https://", "ftp://host", "host:0", "host:99999", "host:x", "host:", "a b", "::1",
                      "::1:80", "[::1", "[]", "[::1]80", "a@b"}) {
        EXPECT_FALSE(cli::parse_server(text)) << text;
    }
}

TEST(http_client, nobody_there_is_a_sentence_with_the_remedy) {
    auto answer = cli::get({"127.0.0.1", 1}, "/version", "");
    ASSERT_FALSE(answer);
    EXPECT_NE(answer.error().detail.find("downtick serve"), std::string::npos);
}

TEST(http_client, an_address_is_printed_as_it_is_written) {
    EXPECT_EQ(cli::to_string({"::1", 80}), "[::1]:80");
    EXPECT_EQ(cli::to_string({"example", 80}), "example:80");
}

} // namespace
