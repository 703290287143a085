#include "http/router.hh"

#include <gtest/gtest.h>

#include "tests/reactor/http/server_fixture.hh"

namespace http {

using namespace testing_lib;

TEST(http_router, calls_the_handler_of_the_route) {
    router routes;
    routes.add("GET", "/v1/logs/{source}/n/{n}", [](request&, path_parameters parameters, reply_writer& reply) {
        return reply.send(200, {}, parameters.get("source") + " " + parameters.get("n"));
    });
    http_fixture server([&routes](request& req, reply_writer& reply) { return routes.route(req, reply); });
    raw_client client(server);
    EXPECT_EQ(body_of(client.send("GET /v1/logs/a%20b/n/3?x HTTP/1.1\r\nHost: h\r\n\r\n").reply()), "a b 3");
    EXPECT_EQ(status_of(client.send("GET /v1/logs HTTP/1.1\r\nHost: h\r\n\r\n").reply()), "HTTP/1.1 404 Not Found");
    const auto refused = client.send("FROB /v1/logs/a/n/3 HTTP/1.1\r\nHost: h\r\n\r\n").reply();
    EXPECT_EQ(status_of(refused), "HTTP/1.1 405 Method Not Allowed");
    EXPECT_TRUE(refused.contains("\r\nAllow: GET\r\n")) << refused;
    EXPECT_EQ(status_of(client.send("GET /v1/logs/%4/n/3 HTTP/1.1\r\nHost: h\r\n\r\n").reply()), "HTTP/1.1 400 Bad Request");
}

TEST(http_router, what_changes_something_refuses_parameters_it_does_not_know) {
    router routes;
    unsigned calls = 0;
    routes.add_strict("POST", "/run", {"dry_run"}, [&calls](request&, path_parameters, reply_writer& reply) {
        ++calls;
        return reply.send(200, {}, "done");
    });
    http_fixture server([&routes](request& req, reply_writer& reply) { return routes.route(req, reply); });
    raw_client client(server);
    const auto refused = client.send("POST /run?dryrun=true HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n").reply();
    EXPECT_EQ(status_of(refused), "HTTP/1.1 400 Bad Request");
    EXPECT_TRUE(body_of(refused).contains("dry_run")) << refused;
    const auto twice =
        client.send("POST /run?dry_run=true&dry_run=false HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n").reply();
    EXPECT_EQ(status_of(twice), "HTTP/1.1 400 Bad Request");
    EXPECT_EQ(calls, 0u);
    EXPECT_EQ(body_of(client.send("POST /run?dry_run=true HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n").reply()), "done");
}

} // namespace http
