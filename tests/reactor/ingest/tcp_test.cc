#include <gmock/gmock.h>

#include <seastar/core/when_all.hh>

#include "tests/reactor/ingest/ingest_fixture.hh"

namespace {

using namespace testing_lib;
using ingest::line_fault;
using ingest::protocol;
using ::testing::ElementsAre;

class tcp_test : public ingest_test {
protected:
    ~tcp_test() override { stop(); }

    raw_client connect(protocol p, std::chrono::milliseconds idle = ingest::idle_max,
                       std::chrono::milliseconds line_max = ingest::begun_line_max) {
        if (!is_started) {
            is_started = true;
            listener.start(p, std::ref(intake), idle, line_max).get();
            // Not the address of an http_fixture: a port that is to be chosen counts as the same one on the second shard.
            listener.invoke_on_all([](ingest::tcp_listener& l) { l.listen(seastar::ipv4_addr("127.0.0.2", 0)); }).get();
            address = listener.local().address();
        }
        return raw_client(address);
    }
    // Sends, ends, and waits for the server's end, by which all is stored.
    void send_all(protocol p, std::string_view bytes) {
        auto client = connect(p);
        client.send(bytes);
        client.stop_sending();
        EXPECT_EQ(client.rest(), "");
    }
    uint64_t lines(protocol p) {
        return intake.map_reduce0([=](ingest::intake& in) { return in.counts(p).lines; }, uint64_t(0), std::plus()).get();
    }
    void stop() {
        if (std::exchange(is_started, false)) {
            listener.stop().get();
        }
    }

    seastar::sharded<ingest::tcp_listener> listener;
    seastar::socket_address address;
    bool is_started = false;
};

TEST_F(tcp_test, lines_are_stored_by_the_end_of_the_connection) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) {
        text += fmt::format("cpu,host=h{} v={}i {}\n", i % 50, i, noon_ns + i);
    }
    send_all(protocol::line, text);
    EXPECT_EQ(rows_of("cpu20261116").size(), 20'000u);
}

TEST_F(tcp_test, lines_are_stored_while_the_connection_stays) {
    auto client = connect(protocol::line);
    client.send("cpu v=1i 5\ncpu v=2");
    wait_until([&] { return lines(protocol::line) == 1 && rows_of("cpu19700101").size() == 1; });
    client.send("2i 6\n");
    wait_until([&] { return rows_of("cpu19700101").size() == 2; });
    EXPECT_THAT(rows_of("cpu19700101"), ElementsAre("|253402300799999999993|v=l22,", "|253402300799999999994|v=l1,"));
}

TEST_F(tcp_test, half_a_line_is_lost_and_nothing_else) {
    send_all(protocol::line, "cpu v=1i 5\ncpu v=12345i 6");
    EXPECT_THAT(rows_of("cpu19700101"), ElementsAre("|253402300799999999994|v=l1,"));
    EXPECT_EQ(rejected(protocol::line, line_fault::unfinished_line), 1u);
}

TEST_F(tcp_test, bad_lines_are_counted_and_their_neighbours_stored) {
    send_all(protocol::line, "cpu v=1i 5\nnonsense\n\xff\xfe=1\ncpu v=2i 6\n");
    EXPECT_EQ(rows_of("cpu19700101").size(), 2u);
    EXPECT_EQ(rejected(protocol::line, line_fault::missing_fields), 2u);
}

TEST_F(tcp_test, a_quote_that_is_never_closed_spoils_its_line_and_nothing_else) {
    send_all(protocol::line, "cpu v=\"oops\ncpu v=1i 5\ncpu v=2i 6\ncpu v=3i 7");
    EXPECT_EQ(rows_of("cpu19700101").size(), 2u);
    EXPECT_EQ(rejected(protocol::line, line_fault::unterminated_string), 1u);
    EXPECT_EQ(rejected(protocol::line, line_fault::unfinished_line), 1u) << "the last one";
}

TEST_F(tcp_test, lines_behind_an_open_quote_do_not_wait_for_the_end_of_the_connection) {
    auto client = connect(protocol::line);
    client.send("cpu v=\"oops\ncpu v=1i 5\n");
    wait_until([&] { return lines(protocol::line) == 2 && rows_of("cpu19700101").size() == 1; });
    client.send("cpu v=2i 6\ncpu v=\"two\nlines\" 7\n");
    wait_until([&] { return rows_of("cpu19700101").size() == 3; });
    EXPECT_EQ(rejected(protocol::line, line_fault::unterminated_string), 1u);
    EXPECT_THAT(rows_of("cpu19700101").front(), ::testing::EndsWith("|v=stwo\nlines,"));
}

TEST_F(tcp_test, a_sender_that_never_pauses_cannot_hold_its_lines_up_with_a_quote) {
    auto client = connect(protocol::line);
    client.send("cpu v=\"oops\n");
    int sent = 0;
    wait_until([&] {
        client.send(fmt::format("cpu v=1i {}\n", ++sent));
        return rejected(protocol::line, line_fault::unterminated_string) == 1;
    });
    client.stop_sending();
    client.rest();
    EXPECT_EQ(rows_of("cpu19700101").size(), static_cast<size_t>(sent));
}

TEST_F(tcp_test, a_line_that_comes_in_drops_has_its_time) {
    auto client = connect(protocol::line, ingest::idle_max, std::chrono::milliseconds(50));
    client.send("cpu v=1i 5\ncpu v=");
    const auto unfinished = [&] { return rejected(protocol::line, line_fault::unfinished_line); };
    wait_until([&] {
        try {
            client.send("1");
        } catch (const std::system_error&) { // it is closed
        }
        return unfinished() == 1;
    });
    EXPECT_EQ(rows_of("cpu19700101").size(), 1u);
}

TEST_F(tcp_test, graphite_has_paths_or_tags) {
    send_all(protocol::graphite, "servers.a.load 1.5 1794830400\nload;host=a 2.5 1794830400\nbroken\n");
    EXPECT_THAT(rows_of("graphite20261116"), ElementsAre("path=servers.a.load|251607470399999999999|value=d1.5,"));
    EXPECT_THAT(rows_of("load20261116"), ElementsAre("host=a|251607470399999999999|value=d2.5,"));
    EXPECT_EQ(rejected(protocol::graphite, line_fault::missing_field_value), 1u);
}

TEST_F(tcp_test, json_lines_are_points_and_records_have_no_home_yet) {
    send_all(protocol::json, R"({"family":"cpu","time":1794830400,"tags":{"b":"2","a":1},"fields":{"x":1,"y":2.5,"s":"t"}})"
                             "\n"
                             R"({"source":"web","message":"hello"})"
                             "\n{\n");
    EXPECT_THAT(rows_of("cpu20261116"), ElementsAre("a=1,b=2|251607470399999999999|s=st,x=l1,y=d2.5,"));
    EXPECT_EQ(rejected(protocol::json, line_fault::no_log_storage), 1u);
    EXPECT_EQ(rejected(protocol::json, line_fault::invalid_json), 1u);
}

TEST_F(tcp_test, an_endless_line_costs_its_sender_and_nobody_else) {
    auto endless = connect(protocol::line);
    const std::string piece(64 << 10, 'x');
    for (int i = 0; i < 64; ++i) {
        endless.send(piece);
    }
    send_all(protocol::line, "cpu v=1i 5\n");
    endless.send("\ncpu v=2i 6\n");
    endless.stop_sending();
    endless.rest();
    EXPECT_EQ(rows_of("cpu19700101").size(), 2u);
    EXPECT_EQ(rejected(protocol::line, line_fault::line_too_long), 1u);
}

TEST_F(tcp_test, a_silent_connection_is_ended) {
    auto client = connect(protocol::line, std::chrono::milliseconds(50));
    client.send("cpu v=1i 5\ncpu v");
    EXPECT_EQ(client.rest(), "");
    EXPECT_EQ(rows_of("cpu19700101").size(), 1u);
}

TEST_F(tcp_test, a_stop_stores_what_was_read) {
    auto client = connect(protocol::line);
    client.send("cpu v=1i 5\n");
    wait_until([&] { return lines(protocol::line) == 1; });
    stop();
    EXPECT_EQ(rows_of("cpu19700101").size(), 1u);
}

TEST_F(tcp_test, a_full_disk_stops_the_sender_and_loses_nothing) {
    disk.fill();
    const auto retries = [this] {
        return intake
            .map_reduce0([](ingest::intake& in) { return in.counts(protocol::line).busy_retries; }, uint64_t(0), std::plus())
            .get();
    };
    auto client = connect(protocol::line);
    int sent = 0;
    // Until the room that the log has is used up.
    for (; sent < 400'000 && retries() == 0;) {
        std::string text;
        for (int end = sent + 2'000; sent < end; ++sent) {
            text += fmt::format("cpu,host=h{} v={}i {}\n", sent % 50, sent, noon_ns + sent);
        }
        client.send(text);
    }
    ASSERT_GT(retries(), 0u);
    disk.set_capacity(uint64_t{4} << 30);
    client.stop_sending();
    EXPECT_EQ(client.rest(), "");
    EXPECT_EQ(rows_of("cpu20261116").size(), static_cast<size_t>(sent));
}

TEST_F(tcp_test, requests_are_answered_while_senders_wait_for_the_disk) {
    http_fixture server([this](http::request& request, http::reply_writer& reply) {
        return ingest::answer_write(intake.local(), request, reply);
    });
    disk.fill();
    std::string text;
    for (int i = 0; i < 100'000; ++i) {
        text += fmt::format("cpu,host=h{} v={}i {}\n", i % 50, i, noon_ns + i);
    }
    connect(protocol::line); // listens from here on
    std::vector<seastar::future<>> senders;
    const auto all_wait = [&] {
        return intake
            .map_reduce0([](ingest::intake& in) { return in.in_flight_waiting().waiters() > 0; }, true, std::logical_and())
            .get();
    };
    for (int i = 0; i < 40 && !all_wait(); ++i) {
        senders.push_back(seastar::async([&] { send_all(protocol::line, text); }));
        seastar::sleep(10ms).get();
    }
    wait_until(all_wait);
    for (int i = 0; i < 4; ++i) {
        // It may say that the disk is full, or find room for so little. One that never comes must not leave the senders behind.
        EXPECT_NO_THROW({
            raw_client client(server);
            client.send("POST /write HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nother v=1");
            EXPECT_THAT(client.reply(), ::testing::StartsWith("HTTP/1.1 "));
        });
    }
    disk.set_capacity(uint64_t{4} << 30);
    seastar::when_all_succeed(std::move(senders)).get();
    EXPECT_EQ(rows_of("cpu20261116").size(), 100'000u);
}

} // namespace
