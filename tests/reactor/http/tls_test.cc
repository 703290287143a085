// The same server over TLS, and clients that do not even say hello.
#include <gtest/gtest.h>
#include <seastar/net/tls.hh>

#include "tests/reactor/http/server_fixture.hh"
#include "tests/reactor/http/test_certificate.hh"

namespace http {

using namespace testing_lib;
namespace tls = seastar::tls;

static seastar::shared_ptr<tls::server_credentials> server_credentials() {
    tls::credentials_builder builder;
    builder.set_x509_key(test_certificate, test_key, tls::x509_crt_format::PEM);
    return builder.build_server_credentials();
}

static seastar::connected_socket connect_secure(seastar::socket_address address) {
    auto credentials = seastar::make_shared<tls::certificate_credentials>();
    credentials->set_x509_trust(test_certificate, tls::x509_crt_format::PEM);
    return tls::connect(credentials, address, tls::tls_options{.server_name = "localhost"}).get();
}

static seastar::future<> tell_security(request& req, reply_writer& reply) {
    auto body = co_await req.body.read_all(1 << 20);
    co_await reply.send(200, {}, fmt::format("secure={} {}", req.is_secure, body ? body->size() : 0));
}

TEST(http_tls, serves_requests_of_any_size) {
    http_fixture server(tell_security, {}, reply_in_plain_text, server_credentials);
    raw_client client(connect_secure(server.address()));
    EXPECT_EQ(body_of(client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").reply()), "secure=true 0");
    client.send(fmt::format("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 500000\r\n\r\n{}", std::string(500'000, 'x')));
    EXPECT_EQ(body_of(client.reply()), "secure=true 500000");
    const auto last = client.send("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").rest();
    EXPECT_EQ(body_of(last), "secure=true 0");
}

TEST(http_tls, who_is_refused_before_the_body_is_read_sees_why) {
    const auto refuse = [](request&, reply_writer& reply) { return reply.send(403, {}, "no"); };
    http_fixture server(refuse, {}, reply_in_plain_text, server_credentials);
    raw_client client(connect_secure(server.address()));
    client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 8000000\r\n\r\n");
    client.send(std::string(8'000'000, 'x'));
    EXPECT_EQ(status_of(client.reply()), "HTTP/1.1 403 Forbidden");
}

TEST(http_tls, a_broken_request_is_answered) {
    http_fixture server(tell_security, {}, reply_in_plain_text, server_credentials);
    raw_client client(connect_secure(server.address()));
    EXPECT_EQ(status_of(client.send("nonsense\r\n").rest()), "HTTP/1.1 400 Bad Request");
}

TEST(http_tls, a_client_without_tls_is_dropped) {
    http_fixture server(tell_security, {}, reply_in_plain_text, server_credentials);
    raw_client client(server);
    EXPECT_FALSE(client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").rest().contains("HTTP/1.1 200"));
}

TEST(http_tls, deadlines_and_stop_do_not_wait_for_a_polite_goodbye) {
    http_fixture server(tell_security, {.waits = {.idle = 60s, .head = 60s, .stop = 50ms}}, reply_in_plain_text,
                        server_credentials);
    raw_client silent(server);
    raw_client idle(connect_secure(server.address())), half(connect_secure(server.address()));
    idle.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").reply();
    half.send("GET / HT");
    wait_until([&] { return server.count(&counters::connections_accepted) == 3 && server.count(&counters::bytes_in) == 27 + 8; });
    const auto begin = seastar::lowres_clock::now();
    server.stop();
    EXPECT_LT(seastar::lowres_clock::now() - begin, 5s);
}

} // namespace http
