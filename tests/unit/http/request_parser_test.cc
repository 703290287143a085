#include "http/core/request_parser.hh"

#include <random>

#include <gtest/gtest.h>

#include "tests/unit/http/request_trace.hh"

namespace http {

using testing_lib::request_trace;
using testing_lib::trace;

TEST(request_parser, reads_a_plain_request) {
    EXPECT_EQ(trace("GET /a/b%20c?x=1&y HTTP/1.1\r\nHost: h:1\r\nX-Ms-Date:\t today \t\r\nEmpty:\r\n\r\n"),
              "GET path=/a/b%20c query=x=1&y 1.1 keep\n  Host=h:1\n  X-Ms-Date=today\n  Empty=\n.\n");
}

TEST(request_parser, passes_on_every_verb_as_text) {
    for (auto verb : {"GET", "MERGE", "PATCH", "FROBNICATE", "get", "M-SEARCH", "PRI", "SOURCE", "DESCRIBE", "X"}) {
        EXPECT_EQ(trace(fmt::format("{} / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab", verb)),
                  fmt::format("{} path=/ query= 1.1 keep length=2\n  Host=h\n  Content-Length=2\n[ab]\n.\n", verb));
    }
}

TEST(request_parser, heads_are_views_into_the_given_bytes_when_they_came_whole) {
    const std::string bytes = "GET /path HTTP/1.1\r\nHost: h\r\n\r\n";
    request_parser parser;
    auto step = parser.feed(bytes);
    ASSERT_TRUE(step);
    EXPECT_EQ(step->event, parse_event::head);
    EXPECT_EQ(step->consumed, bytes.size());
    EXPECT_EQ(parser.head().method.data(), bytes.data());
    EXPECT_EQ(parser.head().header("hOST")->data(), bytes.data() + bytes.find("h\r\n"));
}

TEST(request_parser, finds_headers_whatever_their_case) {
    const std::string bytes = "GET / HTTP/1.1\r\nHost: h\r\nx-A: 1\r\nX-a: 2\r\n\r\n";
    request_parser parser;
    ASSERT_TRUE(parser.feed(bytes));
    EXPECT_EQ(parser.head().header("X-A"), "1");
    EXPECT_EQ(parser.head().header_count("x-a"), 2u);
    EXPECT_EQ(parser.head().header("x-"), std::nullopt);
    EXPECT_EQ(parser.head().header_count("b"), 0u);
}

TEST(request_parser, splits_targets_of_every_form) {
    const auto head_line = [](std::string_view target) { return trace(fmt::format("GET {} HTTP/1.0\r\n\r\n", target)); };
    EXPECT_EQ(head_line("/"), "GET path=/ query= 1.0\n.\n");
    EXPECT_EQ(head_line("//a//b?"), "GET path=//a//b query= 1.0\n.\n");
    EXPECT_EQ(head_line("/a?b?c"), "GET path=/a query=b?c 1.0\n.\n");
    EXPECT_EQ(head_line("/a?u=http://x/y"), "GET path=/a query=u=http://x/y 1.0\n.\n");
    EXPECT_EQ(head_line("/T(PartitionKey='a''b',RowKey='%25')"), "GET path=/T(PartitionKey='a''b',RowKey='%25') query= 1.0\n.\n");
    EXPECT_EQ(head_line("http://host:10002/a/b?c"), "GET path=/a/b query=c 1.0\n.\n");
    EXPECT_EQ(head_line("http://host"), "GET path=/ query= 1.0\n.\n");
    EXPECT_EQ(head_line("http://host?q"), "GET path=/ query=q 1.0\n.\n");
    EXPECT_EQ(head_line("*"), "GET path=* query= 1.0\n.\n");
}

TEST(request_parser, follows_the_connection_header) {
    const auto keeps = [](unsigned minor, std::string_view value) {
        return trace(fmt::format("GET / HTTP/1.{}\r\nHost: h\r\nConnection: {}\r\n\r\n", minor, value)).contains(" keep");
    };
    EXPECT_TRUE(keeps(1, "keep-alive"));
    EXPECT_TRUE(keeps(1, "x"));
    EXPECT_FALSE(keeps(1, "Close"));
    EXPECT_FALSE(keeps(1, "te, close"));
    EXPECT_FALSE(keeps(0, "x"));
    EXPECT_TRUE(keeps(0, "Keep-Alive"));
    EXPECT_FALSE(keeps(0, "keep-alive, close"));
}

TEST(request_parser, an_upgrade_is_ignored) {
    EXPECT_EQ(
        trace("GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
              "POST /2 HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 1\r\n\r\nx"),
        "GET path=/ query= 1.1 keep\n  Host=h\n  Connection=Upgrade\n  Upgrade=h2c\n.\n"
        "POST path=/2 query= 1.1 keep length=1\n  Host=h\n  Connection=Upgrade\n  Upgrade=h2c\n  Content-Length=1\n[x]\n.\n");
}

TEST(request_parser, reads_chunked_bodies_and_drops_extensions_and_trailers) {
    EXPECT_EQ(trace("PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n"
                    "5;a=b\r\nhello\r\n00001\r\n,\r\nA\r\n0123456789\r\n0\r\nDigest: x\r\n\r\n"
                    "GET /n HTTP/1.1\r\nHost: h\r\n\r\n"),
              "PUT path=/ query= 1.1 keep chunked\n  Host=h\n  Transfer-Encoding=Chunked\n[hello,0123456789]\n.\n"
              "GET path=/n query= 1.1 keep\n  Host=h\n.\n");
}

TEST(request_parser, expectation_counts_only_where_a_body_follows) {
    const auto expects = [](unsigned minor, std::string_view length) {
        return trace(
                   fmt::format("PUT / HTTP/1.{}\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: {}\r\n\r\n", minor, length))
            .contains(" expect");
    };
    EXPECT_TRUE(expects(1, "5"));
    EXPECT_FALSE(expects(1, "0"));
    EXPECT_FALSE(expects(0, "5"));
}

TEST(request_parser, skips_a_few_empty_lines_between_requests) {
    EXPECT_EQ(trace("\r\n\r\nGET / HTTP/1.0\r\n\r\n\r\nGET /2 HTTP/1.0\r\n\r\n"),
              "GET path=/ query= 1.0\n.\nGET path=/2 query= 1.0\n.\n");
    EXPECT_TRUE(trace("\r\n\r\n\r\n\r\n\r\nGET / HTTP/1.0\r\n\r\n").starts_with("! 400"));
    request_parser parser;
    ASSERT_TRUE(parser.feed("\r\n"));
    EXPECT_TRUE(parser.is_between_requests());
    ASSERT_TRUE(parser.feed("G"));
    EXPECT_FALSE(parser.is_between_requests());
}

TEST(request_parser, a_large_head_in_pieces_is_followed_by_a_small_one) {
    request_trace t;
    const auto large = fmt::format("GET /{} HTTP/1.1\r\nHost: h\r\n\r\n", std::string(60'000, 'a'));
    EXPECT_TRUE(t.feed(large.substr(0, 40'000)));
    EXPECT_TRUE(t.feed(large.substr(40'000)));
    EXPECT_TRUE(t.feed("GET /2 HTTP/1.1\r\nHost: h\r\n\r\n"));
    EXPECT_TRUE(t.text().ends_with("GET path=/2 query= 1.1 keep\n  Host=h\n.\n"));
}

TEST(request_parser, how_the_bytes_are_cut_does_not_matter) {
    const std::string stream =
        "\r\nPOST http://h/a?b HTTP/1.1\r\nhost:  h \r\nContent-Length: 11\r\nX: y\r\n\r\nhello world"
        "MERGE /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;x=\"y\"\r\nabc\r\n10\r\n0123456789abcdef"
        "\r\n0\r\nT: u\r\n\r\nGET / HTTP/1.0\r\n\r\nBAD\x01";
    const auto whole = trace(stream);
    EXPECT_TRUE(whole.ends_with("! 400 the request does not begin with a method\n")) << whole;
    request_trace single;
    for (char c : stream) {
        single.feed({&c, 1});
    }
    EXPECT_EQ(single.text(), whole);
    const auto seed = std::random_device()();
    std::mt19937 random(seed);
    for (int round = 0; round < 300; ++round) {
        request_trace cut;
        for (size_t at = 0; at < stream.size();) {
            const size_t length = 1 + random() % 40;
            cut.feed(std::string_view(stream).substr(at, length));
            at += length;
        }
        ASSERT_EQ(cut.text(), whole) << "seed " << seed << " round " << round;
    }
}

} // namespace http
