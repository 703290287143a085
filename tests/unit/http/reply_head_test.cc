#include "http/core/reply_head.hh"

#include <vector>

#include <gtest/gtest.h>

namespace http {

static std::string written(const reply_head& head) {
    std::string out(reply_head_bytes_max(head), '#');
    out.resize(static_cast<size_t>(write_reply_head(head, out.data()) - out.data()));
    return out;
}

TEST(reply_head, writes_status_line_date_own_fields_and_framing) {
    EXPECT_EQ(written({.status = 200,
                       .fields = {{"Content-Type", "text/plain"}, {"ETag", "W/\"1\""}},
                       .date = "today",
                       .content_length = 12}),
              "HTTP/1.1 200 OK\r\nDate: today\r\nContent-Type: text/plain\r\nETag: W/\"1\"\r\nContent-Length: 12\r\n\r\n");
    EXPECT_EQ(written({.status = 206, .date = "d", .is_chunked = true, .connection = connection_field::close}),
              "HTTP/1.1 206 Partial Content\r\nDate: d\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(written({.status = 204, .date = "d", .connection = connection_field::keep_alive}),
              "HTTP/1.1 204 No Content\r\nDate: d\r\nConnection: keep-alive\r\n\r\n");
}

TEST(reply_head, a_value_cannot_start_a_line_of_its_own) {
    const std::string evil("a\r\nSet-Cookie: b\n\0c", 19);
    EXPECT_EQ(written({.status = 200, .fields = {{"X", evil}}, .date = "d"}),
              "HTTP/1.1 200 OK\r\nDate: d\r\nX: a  Set-Cookie: b  c\r\n\r\n");
}

TEST(reply_head, fits_its_bound_at_the_largest) {
    const std::string name(300, 'n'), value(70'000, 'v'), date = http_date(0);
    const std::vector<reply_field> fields(5, reply_field{name, value});
    const reply_head head{
        .status = 431, .fields = fields, .date = date, .content_length = UINT64_MAX, .connection = connection_field::keep_alive};
    EXPECT_LE(written(head).size(), reply_head_bytes_max(head));
    EXPECT_NE(written(head).find("Content-Length: 18446744073709551615\r\n"), std::string::npos);
}

TEST(reply_head, date_is_an_imf_fixdate) {
    EXPECT_EQ(http_date(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
}

} // namespace http
