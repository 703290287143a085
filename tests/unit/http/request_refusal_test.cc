// What must be answered with an error, and with which status: the shapes request smuggling is made of, and the limits.
#include <gtest/gtest.h>

#include "tests/unit/http/request_trace.hh"

namespace http {

static unsigned status_of(std::string_view stream, const parse_limits& limits = {}) {
    testing_lib::request_trace whole(limits), cut(limits);
    whole.feed(stream);
    for (char c : stream) {
        cut.feed({&c, 1});
    }
    EXPECT_EQ(whole.text(), cut.text());
    const auto mark = whole.text().rfind("! ");
    return mark == std::string::npos ? 0 : static_cast<unsigned>(std::stoul(whole.text().substr(mark + 2, 3)));
}

static unsigned status_of_headers(std::string_view headers) {
    return status_of(fmt::format("POST / HTTP/1.1\r\nHost: h\r\n{}\r\n\r\n", headers));
}

static unsigned status_of_chunks(std::string_view chunks) {
    return status_of(fmt::format("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n{}", chunks));
}

TEST(request_refusal, request_lines_that_are_none) {
    EXPECT_EQ(status_of("\x16\x03\x01\x02"), 400u); // a TLS greeting
    EXPECT_EQ(status_of(" GET / HTTP/1.1\r\n"), 400u);
    EXPECT_EQ(status_of("GET\r\n"), 400u);
    EXPECT_EQ(status_of("GET(/ HTTP/1.1\r\n"), 400u);
    EXPECT_EQ(status_of("GET / HTTX/1.1\r\n"), 400u);
    EXPECT_EQ(status_of("GET / RTSP/1.0\r\n"), 400u);
    EXPECT_EQ(status_of("GET / HTTP/1.1 \r\n"), 400u);
    EXPECT_EQ(status_of("GET / HTTP/1.1\n"), 400u);
    EXPECT_EQ(status_of("GET /a b HTTP/1.1\r\n"), 400u);
    EXPECT_EQ(status_of(std::string_view("GET /\0 HTTP/1.1\r\n", 17)), 400u);
    EXPECT_EQ(status_of("GET a/b HTTP/1.1\r\n"), 400u);
    EXPECT_EQ(status_of("GET /a#b HTTP/1.0\r\n\r\n"), 400u);
    EXPECT_EQ(status_of("CONNECT h:443 HTTP/1.1\r\n"), 400u);
}

TEST(request_refusal, unknown_versions) {
    EXPECT_EQ(status_of("GET /\r\n\r\n"), 505u);
    EXPECT_EQ(status_of("GET / HTTP/2.0\r\n"), 505u);
    EXPECT_EQ(status_of("GET / HTTP/1.2\r\n"), 505u);
    EXPECT_EQ(status_of("GET / HTTP/3\r\n"), 505u);
    EXPECT_EQ(status_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505u);
}

TEST(request_refusal, two_ways_to_find_the_end_of_a_body) {
    EXPECT_EQ(status_of_headers("Content-Length: 5\r\nTransfer-Encoding: chunked"), 400u);
    EXPECT_EQ(status_of_headers("Transfer-Encoding: chunked\r\nContent-Length: 5"), 400u);
    EXPECT_EQ(status_of_headers("Content-Length: 5\r\nContent-Length: 6"), 400u);
    EXPECT_EQ(status_of_headers("Content-Length: 5\r\nContent-Length: 5"), 400u);
    EXPECT_EQ(status_of_headers("Content-Length: 5, 5"), 400u);
    EXPECT_EQ(status_of_headers("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), 400u);
    EXPECT_EQ(status_of_headers("Transfer-Encoding: chunked, chunked"), 400u);
    EXPECT_EQ(status_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400u);
}

TEST(request_refusal, lengths_that_are_not_numbers) {
    for (auto value : {"", "+5", "-5", "0x5", "5a", "5 6", "18446744073709551616", "99999999999999999999999"}) {
        EXPECT_EQ(status_of_headers(fmt::format("Content-Length: {}", value)), 400u) << value;
    }
    EXPECT_EQ(status_of_headers("Content-Length: 18446744073709551615"), 0u);
}

TEST(request_refusal, encodings_that_cannot_be_undone) {
    for (auto value : {"", "gzip, chunked", "gzip", "identity", "xchunked", "chunkedx", "chunked;q=1", "\"chunked\""}) {
        const auto status = status_of_headers(fmt::format("Transfer-Encoding: {}", value));
        EXPECT_TRUE(status == 501 || status == 400) << value << " " << status;
    }
    EXPECT_EQ(status_of_headers("Transfer-Encoding: gzip, chunked"), 501u);
    EXPECT_EQ(status_of_headers("Transfer-Encoding: \x0b"
                                "chunked"),
              400u);
    EXPECT_EQ(status_of_headers("Transfer-Encoding: \r\nContent-Length: 5"), 400u);
}

TEST(request_refusal, header_lines_that_two_readers_would_split_differently) {
    EXPECT_EQ(status_of_headers("A : b"), 400u);
    EXPECT_EQ(status_of_headers("A\t: b"), 400u);
    EXPECT_EQ(status_of_headers("Content-Length : 5"), 400u);
    EXPECT_EQ(status_of_headers("A: b\r\n c"), 400u);
    EXPECT_EQ(status_of_headers("A: b\r\n\tc"), 400u);
    EXPECT_EQ(status_of_headers("A: \r\n b"), 400u);
    EXPECT_EQ(status_of_headers(" A: b"), 400u);
    EXPECT_EQ(status_of_headers("A: b\nC: d"), 400u);
    EXPECT_EQ(status_of_headers("A: b\rC: d"), 400u);
    EXPECT_EQ(status_of_headers(std::string_view("A: b\0c", 6)), 400u);
    EXPECT_EQ(status_of_headers(std::string_view("A\0: b", 5)), 400u);
    EXPECT_EQ(status_of_headers("A: \x7f"), 400u);
    EXPECT_EQ(status_of_headers(": b"), 400u);
    EXPECT_EQ(status_of_headers("Abc"), 400u);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\n Host: h\r\n\r\n"), 400u);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\tHost: h\r\n\r\n"), 400u);
}

TEST(request_refusal, no_host_or_more_than_one) {
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\n\r\n"), 400u);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n"), 400u);
    EXPECT_EQ(status_of("GET / HTTP/1.0\r\n\r\n"), 0u);
}

TEST(request_refusal, broken_chunks) {
    EXPECT_EQ(status_of_chunks("5\r\nhello\r\n0\r\n\r\n"), 0u);
    for (auto chunks : {"\r\n", "g\r\n", "-1\r\n", "+1\r\n", "0x1\r\n", " 1\r\n", "1 \r\n", "1\n", "1\r\nab\r\n", "1\r\na\n",
                        "1\r\naX", "10000000000000000\r\n", "ffffffffffffffffff\r\n", "1;\r\na", "1; a\r\n", "1;a=\x01\r\n",
                        "0\r\nA : b\r\n\r\n", "0\r\nContent-Length: 5\r\n\r\n", "0\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
        EXPECT_EQ(status_of_chunks(chunks), 400u) << chunks;
    }
}

TEST(request_refusal, everything_too_long) {
    const parse_limits limits{.request_line_bytes_max = 100, .header_block_bytes_max = 200, .header_fields_max = 5};
    const auto line = [](size_t bytes) { return fmt::format("GET /{} HTTP/1.1", std::string(bytes - 14, 'a')); };
    EXPECT_EQ(status_of(line(100) + "\r\nHost: h\r\n\r\n", limits), 0u);
    EXPECT_EQ(status_of(line(101) + "\r\nHost: h\r\n\r\n", limits), 414u);
    EXPECT_EQ(status_of("GET /" + std::string(100, 'a'), limits), 414u);

    const auto block = [](size_t bytes) { return fmt::format("\r\nHost: {}\r\n\r\n", std::string(bytes - 12, 'h')); };
    EXPECT_EQ(status_of("GET / HTTP/1.1" + block(200), limits), 0u);
    EXPECT_EQ(status_of("GET / HTTP/1.1" + block(201), limits), 431u);

    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: h\r\na: 1\r\nb: 2\r\nc: 3\r\nd: 4\r\n\r\n", limits), 0u);
    EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: h\r\na: 1\r\nb: 2\r\nc: 3\r\nd: 4\r\ne: 5\r\n\r\n", limits), 431u);

    EXPECT_EQ(status_of(std::string(method_bytes_max, 'A') + " / HTTP/1.0\r\n\r\n", limits), 0u);
    EXPECT_EQ(status_of(std::string(method_bytes_max + 1, 'A') + " / HTTP/1.0\r\n\r\n", limits), 501u);
}

TEST(request_refusal, endless_chunk_extensions_and_trailers) {
    const parse_limits limits{.header_block_bytes_max = 200};
    const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
    EXPECT_EQ(status_of(head + "1;" + std::string(300, 'x') + "\r\na\r\n", limits), 431u);
    EXPECT_EQ(status_of(head + "0\r\nT: " + std::string(300, 'x') + "\r\n\r\n", limits), 431u);
    std::string tiny;
    for (int i = 0; i < 1000; ++i) {
        tiny += "1\r\na\r\n";
    }
    EXPECT_EQ(status_of(head + tiny + "0\r\n\r\n", limits), 0u);
    std::string padded;
    for (int i = 0; i < 1000; ++i) {
        padded += "1;xxxxxxxxxx\r\na\r\n";
    }
    EXPECT_EQ(status_of(head + padded + "0\r\n\r\n", limits), 431u);
}

TEST(request_refusal, a_failed_parser_stays_failed) {
    request_parser parser;
    ASSERT_FALSE(parser.feed("\x01"));
    auto again = parser.feed("GET / HTTP/1.0\r\n\r\n");
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().status, 400u);
}

} // namespace http
