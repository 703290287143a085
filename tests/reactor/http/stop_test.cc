// The stages of stop(): no new connections, idle ones end, running requests finish, the rest is cut.
#include <gtest/gtest.h>

#include "tests/reactor/http/server_fixture.hh"

namespace http {

using namespace testing_lib;

TEST(http_stop, ends_idle_connections_at_once) {
    http_fixture server([](request&, reply_writer& reply) { return reply.send(200); }, {.waits = {.stop = 60s}});
    raw_client fresh(server), used(server);
    used.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").reply();
    server.stop();
    EXPECT_EQ(fresh.rest(), "");
    EXPECT_EQ(used.rest(), "");
}

TEST(http_stop, lets_a_running_request_finish_and_then_closes) {
    unsigned running = 0;
    seastar::promise<> go_on;
    http_fixture server(
        [&](request&, reply_writer& reply) -> seastar::future<> {
            co_await seastar::smp::submit_to(0, [&] {
                ++running;
                return go_on.get_future();
            });
            co_await reply.send(200, {}, "done");
        },
        {.waits = {.linger = 50ms, .stop = 60s}});
    const auto address = server.address();
    raw_client client(server);
    client.send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n");
    wait_until([&] { return running == 1; });
    auto stopping = seastar::async([&] { server.stop(); });
    wait_until([&] {
        try {
            raw_client refused(address);
            return refused.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").rest().empty();
        } catch (const std::system_error&) {
            return true;
        }
    });
    EXPECT_FALSE(stopping.available());
    go_on.set_value();
    const auto reply = client.rest();
    EXPECT_TRUE(reply.contains("Connection: close\r\n")) << reply;
    EXPECT_EQ(body_of(reply), "done");
    stopping.get();
}

TEST(http_stop, cuts_off_what_does_not_finish_in_time) {
    unsigned running = 0;
    http_fixture server(
        [&](request& req, reply_writer&) -> seastar::future<> {
            co_await seastar::smp::submit_to(0, [&] { ++running; });
            co_await seastar::sleep_abortable(60s, req.disconnected);
        },
        {.waits = {.stop = 50ms}});
    raw_client waiting(server), half(server);
    waiting.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    half.send("GET / HTT");
    wait_until([&] { return running == 1 && server.count(&counters::bytes_in) == 27 + 9; });
    server.stop();
    EXPECT_EQ(waiting.rest(), "");
    EXPECT_EQ(half.rest(), "");
}

TEST(http_stop, works_for_a_server_that_never_listened) {
    seastar::sharded<server> servers;
    servers.start(server_config{}, handler([](request&, reply_writer& reply) { return reply.send(200); })).get();
    servers.stop().get();
}

} // namespace http
