// Streamed replies, and what becomes of handlers that fail.
#include <gtest/gtest.h>

#include "tests/reactor/http/server_fixture.hh"

namespace http {

using namespace testing_lib;

static seastar::temporary_buffer<char> bytes(std::string_view text) {
    return seastar::temporary_buffer<char>::copy_of(text);
}

static seastar::future<> stream(request&, reply_writer& reply) {
    reply.start(200, {{"Content-Type", "text/csv"}});
    co_await reply.write(bytes("hello"));
    co_await reply.write({});
    co_await reply.write(bytes(std::string(20'000, 'x')));
    co_await reply.finish(bytes("end"));
}

TEST(http_reply, a_stream_is_chunked) {
    http_fixture server(stream);
    raw_client client(server);
    for (int i = 0; i < 2; ++i) {
        const auto reply = client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").reply();
        EXPECT_TRUE(reply.contains("\r\nTransfer-Encoding: chunked\r\n")) << reply;
        EXPECT_EQ(body_of(reply), "5\r\nhello\r\n4e20\r\n" + std::string(20'000, 'x') + "\r\n3\r\nend\r\n0\r\n\r\n");
    }
}

TEST(http_reply, a_stream_to_http_1_0_ends_with_the_connection) {
    http_fixture server(stream);
    raw_client client(server);
    const auto reply = client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").rest();
    EXPECT_FALSE(reply.contains("chunked")) << reply;
    EXPECT_TRUE(reply.contains("Connection: close\r\n")) << reply;
    EXPECT_EQ(body_of(reply), "hello" + std::string(20'000, 'x') + "end");
}

TEST(http_reply, a_stream_of_known_length_is_not_chunked) {
    http_fixture server([](request&, reply_writer& reply) -> seastar::future<> {
        reply.start(200, {}, 300'005);
        co_await reply.write(bytes(std::string(300'000, 'y')));
        co_await reply.write(bytes("a"));
        co_await reply.finish(bytes("bcde"));
    });
    raw_client client(server);
    EXPECT_EQ(body_of(client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").reply()), std::string(300'000, 'y') + "abcde");
    const auto head = client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n").reply(true);
    EXPECT_TRUE(head.contains("Content-Length: 300005\r\n")) << head;
    EXPECT_EQ(status_of(client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").reply()), "HTTP/1.1 200 OK");
}

TEST(http_reply, an_empty_stream_is_a_reply) {
    http_fixture server([](request&, reply_writer& reply) {
        reply.start(200);
        return reply.finish();
    });
    raw_client client(server);
    EXPECT_EQ(body_of(client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").reply()), "0\r\n\r\n");
}

TEST(http_reply, a_flush_sends_the_head_before_there_is_a_body) {
    seastar::promise<> go_on;
    http_fixture server([&](request&, reply_writer& reply) -> seastar::future<> {
        reply.start(200);
        co_await reply.flush();
        co_await seastar::smp::submit_to(0, [&] { return go_on.get_future(); });
        co_await reply.finish(bytes("late"));
    });
    raw_client client(server);
    client.send("GET / HTTP/1.0\r\n\r\n");
    EXPECT_EQ(status_of(client.reply()), "HTTP/1.1 200 OK");
    go_on.set_value();
    EXPECT_EQ(client.rest(), "late");
}

TEST(http_reply, a_handler_that_fails_is_a_500_and_the_end) {
    http_fixture server([](request& req, reply_writer& reply) -> seastar::future<> {
        if (req.head.path == "/throw") {
            throw std::runtime_error("secret");
        }
        if (req.head.path == "/future") {
            return seastar::make_exception_future<>(std::runtime_error("secret"));
        }
        return req.head.path == "/nothing" ? seastar::make_ready_future<>() : reply.send(200);
    });
    for (auto path : {"/throw", "/future", "/nothing"}) {
        raw_client client(server);
        const auto reply = client.send(fmt::format("GET {} HTTP/1.1\r\nHost: h\r\n\r\n", path)).rest();
        EXPECT_EQ(status_of(reply), "HTTP/1.1 500 Internal Server Error") << path;
        EXPECT_FALSE(reply.contains("secret"));
    }
    raw_client client(server);
    EXPECT_EQ(status_of(client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").reply()), "HTTP/1.1 200 OK");
}

TEST(http_reply, a_stream_that_fails_or_falls_short_is_cut_and_never_ended_as_if_whole) {
    http_fixture server([](request& req, reply_writer& reply) -> seastar::future<> {
        const bool has_length = req.head.path == "/short";
        reply.start(200, {}, has_length ? std::optional<uint64_t>(10) : std::nullopt);
        co_await reply.write(bytes("abc"));
        if (has_length) {
            co_await reply.finish();
        } else {
            throw std::runtime_error("half way");
        }
    });
    for (auto path : {"/short", "/throw"}) {
        raw_client client(server);
        const auto reply = client.send(fmt::format("GET {} HTTP/1.1\r\nHost: h\r\n\r\n", path)).rest();
        EXPECT_TRUE(reply.ends_with("abc") || reply.ends_with("abc\r\n")) << reply;
    }
}

TEST(http_reply, overload_says_when_to_come_back) {
    http_fixture server([](request& req, reply_writer& reply) {
        return req.head.path == "/own" ? reply.send(503, {{"Retry-After", "7"}}) : reply.send(503, {}, "later");
    });
    raw_client client(server);
    EXPECT_TRUE(client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").reply().contains("\r\nRetry-After: 1\r\n"));
    const auto own = client.send("GET /own HTTP/1.1\r\nHost: h\r\n\r\n").reply();
    EXPECT_TRUE(own.contains("\r\nRetry-After: 7\r\n")) << own;
    EXPECT_FALSE(own.contains("\r\nRetry-After: 1\r\n")) << own;
}

TEST(http_reply, classes_of_status_are_counted) {
    http_fixture server([](request& req, reply_writer& reply) { return reply.send(req.head.path == "/no" ? 404 : 201); });
    raw_client client(server);
    for (auto path : {"/no", "/yes", "/no"}) {
        client.send(fmt::format("GET {} HTTP/1.1\r\nHost: h\r\n\r\n", path)).reply();
    }
    const auto count = [&](size_t hundred) {
        return server.servers()
            .map_reduce0([hundred](http::server& s) { return s.counts().replies_by_class[hundred]; }, uint64_t(0), std::plus())
            .get();
    };
    EXPECT_EQ(count(2), 1u);
    EXPECT_EQ(count(4), 2u);
}

} // namespace http
