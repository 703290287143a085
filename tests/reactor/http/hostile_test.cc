// Clients that are wrong, slow, too many, or gone.
#include <random>

#include <gtest/gtest.h>
#include <seastar/coroutine/as_future.hh>
#include <seastar/util/defer.hh>

#include "shard/free_memory.hh"
#include "tests/reactor/http/server_fixture.hh"

namespace http {

using namespace testing_lib;

static seastar::future<> greet(request&, reply_writer& reply) {
    return reply.send(200, {}, "hi");
}

static seastar::future<> read_small_body(request& req, reply_writer& reply) {
    auto body = co_await req.body.read_all(1000);
    if (!body) {
        co_return co_await reply.send_error(body.error());
    }
    co_await reply.send(200, {}, std::to_string(body->size()));
}

TEST(http_hostile, every_broken_request_gets_a_status_and_an_end) {
    http_fixture server(read_small_body);
    const auto long_line = "GET /" + std::string(70'000, 'a') + " HTTP/1.1\r\n";
    const auto long_header = "GET / HTTP/1.1\r\nHost: h\r\nA: " + std::string(70'000, 'a') + "\r\n\r\n";
    std::string many_headers = "GET / HTTP/1.1\r\nHost: h\r\n";
    for (int i = 0; i < 200; ++i) {
        many_headers += "A: b\r\n";
    }
    const std::pair<std::string, std::string> cases[] = {
        {"\x16\x03\x01\x02", "400"},
        {"GET / HTTP/1.1\r\n\r\n", "400"},
        {"GET / HTTP/1.1\r\nHost : h\r\n\r\n", "400"},
        {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400"},
        {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "400"},
        {"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n", "501"},
        {"GET / HTTP/2.0\r\n\r\n", "505"},
        {long_line, "414"},
        {long_header, "431"},
        {many_headers + "\r\n", "431"},
    };
    for (const auto& [text, status] : cases) {
        raw_client client(server);
        const auto reply = client.send(text).rest();
        EXPECT_TRUE(reply.starts_with("HTTP/1.1 " + status)) << text.substr(0, 60) << " got " << reply;
        EXPECT_TRUE(reply.contains("\r\nConnection: close\r\n")) << reply;
    }
}

TEST(http_hostile, a_body_over_the_limit_is_a_413_whether_or_not_it_says_so) {
    http_fixture server(read_small_body);
    for (auto framing : {"Content-Length: 1001\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n3e9\r\n"}) {
        raw_client client(server);
        client.send(fmt::format("POST / HTTP/1.1\r\nHost: h\r\n{}{}", framing, std::string(1001, 'x')));
        EXPECT_EQ(status_of(client.reply()), "HTTP/1.1 413 Content Too Large");
    }
    raw_client client(server);
    client.send(fmt::format("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n{}\r\n0\r\n\r\n",
                            std::string(1000, 'x')));
    EXPECT_EQ(body_of(client.reply()), "1000");
}

TEST(http_hostile, a_face_words_its_errors_itself) {
    http_fixture server(greet, {}, [](protocol_error error, reply_writer& reply) {
        return reply.send(error.status, {{"Content-Type", "application/json"}}, fmt::format("{{\"code\":{}}}", error.status));
    });
    raw_client client(server);
    const auto reply = client.send("nonsense\r\n").rest();
    EXPECT_TRUE(reply.contains("Content-Type: application/json\r\n")) << reply;
    EXPECT_EQ(body_of(reply), "{\"code\":400}");
}

TEST(http_hostile, a_head_that_drips_is_ended) {
    http_fixture server(greet, {.waits = {.head = 50ms}});
    raw_client client(server);
    client.send("GET / HTTP/1.1\r\nHost");
    EXPECT_EQ(status_of(client.rest()), "HTTP/1.1 408 Request Timeout");
    EXPECT_EQ(server.count(&counters::protocol_errors), 1u);
}

TEST(http_hostile, the_time_for_a_head_does_not_start_again_with_every_byte) {
    http_fixture server(greet, {.waits = {.head = 100ms}});
    raw_client client(server);
    client.send("GET / HTTP/1.1\r\nHost: h\r\nA: ");
    auto dripping = seastar::async([&] {
        try {
            for (;;) {
                client.send("a");
                seastar::sleep(5ms).get();
            }
        } catch (const std::system_error&) { // closed, as it should be
        }
    });
    EXPECT_EQ(status_of(client.reply()), "HTTP/1.1 408 Request Timeout");
    client.stop_sending();
    dripping.get();
}

TEST(http_hostile, an_idle_connection_is_ended_without_a_word) {
    http_fixture server(greet, {.waits = {.idle = 50ms}});
    raw_client fresh(server), used(server);
    EXPECT_EQ(body_of(used.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").reply()), "hi");
    EXPECT_EQ(fresh.rest(), "");
    EXPECT_EQ(used.rest(), "");
}

TEST(http_hostile, a_body_that_stalls_is_ended) {
    http_fixture server(read_small_body, {.waits = {.body_progress = 50ms}});
    raw_client client(server);
    client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc");
    EXPECT_EQ(status_of(client.rest()), "HTTP/1.1 408 Request Timeout");
    EXPECT_EQ(server.count(&counters::protocol_errors), 1u);
}

TEST(http_hostile, a_body_that_drips_is_ended_where_it_has_a_time) {
    http_fixture server([](request& req, reply_writer& reply) {
        req.body.limit_time(100ms);
        return read_small_body(req, reply);
    });
    raw_client client(server);
    client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n");
    auto dripping = seastar::async([&] {
        try {
            for (int i = 0; i < 999; ++i) {
                client.send("a");
                seastar::sleep(5ms).get();
            }
        } catch (const std::system_error&) { // closed, as it should be
        }
    });
    EXPECT_EQ(status_of(client.reply()), "HTTP/1.1 408 Request Timeout");
    client.stop_sending();
    dripping.get();
}

// A client that sends everything before it looks for a reply.
static std::string reply_to_large_body(raw_client& client, size_t bytes) {
    try {
        client.send(fmt::format("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n", bytes));
        client.send(std::string(bytes, 'x'));
    } catch (const std::system_error& e) {
        return e.what();
    }
    return client.reply();
}

TEST(http_hostile, who_is_refused_before_the_body_is_read_sees_why) {
    http_fixture server([](request&, reply_writer& reply) { return reply.send(403, {}, "no"); });
    for (const size_t bytes : {100'000u, 8'000'000u}) {
        raw_client client(server);
        EXPECT_EQ(status_of(reply_to_large_body(client, bytes)), "HTTP/1.1 403 Forbidden") << bytes;
    }
}

TEST(http_hostile, a_body_that_memory_is_short_for_is_told_to_come_back) {
    http_fixture server([](request& req, reply_writer& reply) -> seastar::future<> {
        auto body = co_await req.body.read_all(4'000'000);
        co_await (body ? reply.send(200) : reply.send_error(body.error()));
    });
    static thread_local std::vector<seastar::temporary_buffer<char>> hoard;
    const auto give_back = [] { return seastar::smp::invoke_on_all([] { hoard.clear(); }); };
    const auto at_end = seastar::defer([&]() noexcept { give_back().get(); });
    const auto take_all = [] {
        while (!shard::is_memory_short(1'000'000)) {
            hoard.emplace_back(500'000);
        }
    };
    seastar::smp::invoke_on_all(take_all).get();
    raw_client large(server), small(server), later(server);
    EXPECT_EQ(status_of(reply_to_large_body(large, 3'000'000)), "HTTP/1.1 503 Service Unavailable");
    EXPECT_EQ(status_of(reply_to_large_body(small, 3'000)), "HTTP/1.1 200 OK");
    give_back().get();
    EXPECT_EQ(status_of(reply_to_large_body(later, 3'000'000)), "HTTP/1.1 200 OK");
}

TEST(http_hostile, a_client_that_does_not_read_its_reply_is_cut_off) {
    bool has_failed = false;
    http_fixture server(
        [&](request&, reply_writer& reply) -> seastar::future<> {
            reply.start(200);
            auto written = seastar::make_ready_future<>();
            while (!written.failed()) {
                written = co_await seastar::coroutine::as_future(reply.write(seastar::temporary_buffer<char>(256 * 1024)));
            }
            co_await seastar::smp::submit_to(0, [&] { has_failed = true; });
            std::rethrow_exception(written.get_exception());
        },
        {.waits = {.write_progress = 50ms}});
    raw_client client(server);
    client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    wait_until([&] { return has_failed; });
    wait_until([&] { return server.count(&counters::connections_open) == 0; });
}

TEST(http_hostile, a_handler_learns_that_its_client_is_gone) {
    unsigned running = 0, aborted = 0;
    http_fixture server([&](request& req, reply_writer& reply) -> seastar::future<> {
        co_await seastar::smp::submit_to(0, [&] { ++running; });
        try {
            co_await seastar::sleep_abortable(60s, req.disconnected);
        } catch (const seastar::sleep_aborted&) {
        }
        co_await seastar::smp::submit_to(0, [&] { ++aborted; });
        co_await reply.send(200);
    });
    raw_client client(server);
    client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    wait_until([&] { return running == 1; });
    client.close();
    wait_until([&] { return aborted == 1; });
}

TEST(http_hostile, a_request_that_breaks_off_leaves_nothing_behind) {
    http_fixture server(read_small_body);
    for (auto text : {"\r\n", "GE", "GET / HTTP/1.1\r\n", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc"}) {
        raw_client client(server);
        client.send(text);
        client.close();
    }
    wait_until(
        [&] { return server.count(&counters::connections_accepted) == 4 && server.count(&counters::connections_open) == 0; });
}

TEST(http_hostile, noise_is_survived) {
    http_fixture server(read_small_body, {.waits = {.idle = 50ms, .head = 50ms, .body_progress = 50ms, .linger = 50ms}});
    const auto seed = std::random_device()();
    SCOPED_TRACE(fmt::format("seed {}", seed));
    std::mt19937 random(seed);
    const std::string sound = "POST /a?b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\n\r\n"
                              "GET / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nabcd";
    for (int round = 0; round < 100; ++round) {
        auto text = sound + sound;
        for (auto changes = random() % 4; changes > 0; --changes) {
            text[random() % text.size()] = static_cast<char>(random());
        }
        raw_client client(server);
        const auto cut = random() % text.size();
        client.send(text.substr(0, cut + 1));
        if (round % 3 == 0) {
            client.stop_sending();
        }
        if (round % 3 == 1) {
            const auto reply = client.rest();
            EXPECT_TRUE(reply.empty() || reply.starts_with("HTTP/1.1 ")) << text;
        }
    }
    wait_until([&] { return server.count(&counters::connections_open) == 0; });
    raw_client client(server);
    EXPECT_EQ(body_of(client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").reply()), "0");
}

TEST(http_hostile, one_connection_too_many_is_told_so) {
    http_fixture server(greet, {.connections_max = 1});
    std::vector<std::unique_ptr<raw_client>> welcome;
    for (unsigned i = 0; i < seastar::smp::count; ++i) {
        welcome.push_back(std::make_unique<raw_client>(server));
        EXPECT_EQ(body_of(welcome.back()->send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").reply()), "hi");
    }
    raw_client extra(server);
    const auto reply = extra.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").rest();
    EXPECT_EQ(status_of(reply), "HTTP/1.1 503 Service Unavailable");
    EXPECT_TRUE(reply.contains("\r\nRetry-After: 1\r\n")) << reply;
    EXPECT_EQ(server.count(&counters::connections_refused), 1u);
    extra.close();
    for (auto& client : welcome) {
        EXPECT_EQ(body_of(client->send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").reply()), "hi");
        client->close();
    }
    wait_until([&] { return server.count(&counters::connections_open) == 0; });
    raw_client next(server);
    EXPECT_EQ(body_of(next.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n").reply()), "hi");
}

} // namespace http
