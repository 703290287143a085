// Requests and replies over a real socket, as well-behaved clients send them.
#include <gtest/gtest.h>

#include "tests/reactor/http/server_fixture.hh"

namespace http {

using namespace testing_lib;

// Says back what came: "METHOD path?query body".
static seastar::future<> echo(request& req, reply_writer& reply) {
    auto body = co_await req.body.read_all(1 << 20);
    if (!body) {
        co_return co_await reply.send_error(body.error());
    }
    co_await reply.send(200, {{"X-Face", "test"}},
                        fmt::format("{} {}?{} {}", req.head.method, req.head.path, req.head.query, *body));
}

TEST(http_request, is_answered_and_the_connection_kept) {
    http_fixture server(echo);
    raw_client client(server);
    for (int i = 0; i < 3; ++i) {
        const auto reply = client.send("GET /a?b HTTP/1.1\r\nHost: h\r\n\r\n").reply();
        EXPECT_TRUE(reply.starts_with("HTTP/1.1 200 OK\r\nDate: ")) << reply;
        EXPECT_TRUE(reply.ends_with(" GMT\r\nX-Face: test\r\nContent-Length: 9\r\n\r\nGET /a?b ")) << reply;
    }
    EXPECT_EQ(server.count(&counters::requests), 3u);
    EXPECT_EQ(server.count(&counters::connections_accepted), 1u);
}

TEST(http_request, fifty_in_one_write_are_answered_in_order) {
    http_fixture server(echo);
    raw_client client(server);
    std::string burst;
    for (int i = 0; i < 50; ++i) {
        burst += fmt::format("POST /{} HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{:02}", i, i);
    }
    client.send(burst);
    for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(body_of(client.reply()), fmt::format("POST /{}? {:02}", i, i));
    }
}

TEST(http_request, may_come_byte_by_byte) {
    http_fixture server(echo);
    raw_client client(server);
    for (char c : std::string_view(
             "MERGE /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;e\r\nde\r\n0\r\n\r\n")) {
        client.send({&c, 1});
    }
    EXPECT_EQ(body_of(client.reply()), "MERGE /x? abcde");
    EXPECT_EQ(body_of(client.send("FROB / HTTP/1.1\r\nHost: h\r\n\r\n").reply()), "FROB /? ");
}

TEST(http_request, a_large_body_arrives_whole_and_a_large_reply_leaves_whole) {
    http_fixture server(echo);
    raw_client client(server);
    std::string body;
    for (int i = 0; body.size() < 700'000; ++i) {
        body += std::to_string(i);
    }
    auto reply = client.send(fmt::format("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n{}", body.size(), body)).reply();
    EXPECT_EQ(body_of(reply), "PUT /? " + body);
    reply = client
                .send(fmt::format("PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{}\r\n0\r\n\r\n",
                                  body.size(), body))
                .reply();
    EXPECT_EQ(body_of(reply), "PUT /? " + body);
}

TEST(http_request, a_client_that_asks_is_told_to_go_on) {
    http_fixture server(echo);
    raw_client client(server);
    client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(client.reply(), "HTTP/1.1 100 Continue\r\n\r\n");
    EXPECT_EQ(body_of(client.send("hello").reply()), "POST /? hello");
    // One that does not wait for it needs no word.
    client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello");
    EXPECT_EQ(body_of(client.reply()), "POST /? hello");
}

TEST(http_request, a_client_that_asks_may_be_refused_before_it_sends) {
    http_fixture server(echo);
    raw_client client(server);
    client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\nExpect: 100-continue\r\n\r\n");
    const auto reply = client.reply();
    EXPECT_EQ(status_of(reply), "HTTP/1.1 413 Content Too Large");
    EXPECT_TRUE(reply.contains("Connection: close\r\n"));
    EXPECT_EQ(client.rest(), "");
}

TEST(http_request, head_gets_the_head_alone) {
    http_fixture server(echo);
    raw_client client(server);
    const auto reply = client.send("HEAD /abc HTTP/1.1\r\nHost: h\r\n\r\n").reply(true);
    EXPECT_TRUE(reply.contains("Content-Length: 11\r\n"));
    EXPECT_EQ(body_of(reply), "");
    EXPECT_EQ(body_of(client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").reply()), "GET /? ");
}

TEST(http_request, closes_when_the_client_wants_it_and_after_http_1_0) {
    http_fixture server(echo);
    for (auto text : {"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"}) {
        raw_client client(server);
        const auto reply = client.send(text).rest();
        EXPECT_TRUE(reply.contains("\r\nConnection: close\r\n")) << reply;
        EXPECT_EQ(body_of(reply), "GET /? ");
    }
    raw_client client(server);
    for (int i = 0; i < 2; ++i) {
        const auto reply = client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").reply();
        EXPECT_TRUE(reply.contains("\r\nConnection: keep-alive\r\n")) << reply;
    }
}

TEST(http_request, a_client_that_stopped_sending_still_gets_its_reply) {
    http_fixture server(echo);
    raw_client client(server);
    client.send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n").stop_sending();
    const auto replies = client.rest();
    EXPECT_TRUE(replies.contains("GET /1? ")) << replies;
    EXPECT_TRUE(replies.ends_with("GET /2? ")) << replies;
}

TEST(http_request, knows_its_peer_and_that_it_is_plain) {
    http_fixture server([](request& req, reply_writer& reply) {
        return reply.send(200, {}, fmt::format("{} {}", req.peer.addr(), req.is_secure));
    });
    raw_client client(server);
    EXPECT_EQ(body_of(client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").reply()), "127.0.0.1 false");
}

TEST(http_request, a_body_left_unread_does_not_disturb_the_next) {
    http_fixture server([](request&, reply_writer& reply) { return reply.send(204); });
    raw_client client(server);
    for (int i = 0; i < 3; ++i) {
        client.send(fmt::format("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 30000\r\n\r\n{}", std::string(30'000, 'x')));
        client.send("PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nGET\r\n0\r\n\r\n");
        for (int j = 0; j < 2; ++j) {
            const auto reply = client.reply();
            EXPECT_EQ(status_of(reply), "HTTP/1.1 204 No Content");
            EXPECT_FALSE(reply.contains("Content-Length")) << reply;
        }
    }
}

TEST(http_request, a_body_left_unread_that_is_large_ends_the_connection_after_the_reply) {
    http_fixture server([](request&, reply_writer& reply) { return reply.send(403, {}, "no"); });
    raw_client client(server);
    client.send(fmt::format("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 900000\r\n\r\n{}", std::string(30'000, 'x')));
    const auto reply = client.rest();
    EXPECT_EQ(status_of(reply), "HTTP/1.1 403 Forbidden");
    EXPECT_TRUE(reply.contains("Connection: close"));
}

} // namespace http
