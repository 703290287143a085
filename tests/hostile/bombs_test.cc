// Small inputs that would become large ones: compressed bodies, lengths that lie, lines without an end.

#include <array>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/hostile/victim.hh"

namespace {

using namespace hostile;

// `bytes` times the same character, in gzip.
std::string bomb(char what, uint64_t bytes) {
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY);
    std::string piece(1 << 20, what), all, out(1 << 20, '\0');
    for (uint64_t done = 0; done <= bytes; done += piece.size()) {
        const bool is_last = done + piece.size() > bytes;
        stream.next_in = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_in = is_last ? static_cast<uInt>(bytes - done) : static_cast<uInt>(piece.size());
        do {
            stream.next_out = reinterpret_cast<Bytef*>(out.data());
            stream.avail_out = static_cast<uInt>(out.size());
            deflate(&stream, is_last ? Z_FINISH : Z_NO_FLUSH);
            all.append(out.data(), out.size() - stream.avail_out);
        } while (stream.avail_out == 0);
    }
    deflateEnd(&stream);
    return all;
}

std::string post_gzip(const std::string& body) {
    return fmt::format("POST /write HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n{}",
                       body.size(), body);
}

class bombs : public ::testing::Test {
protected:
    victim v;
};

TEST_F(bombs, a_line_that_inflates_without_end_is_refused_at_the_length_of_a_line) {
    const auto body = bomb('x', 256 << 20);
    ASSERT_LT(body.size(), 300u << 10);
    const within ceiling(v, {.memory_mib = 32, .cpu_s = 4});
    EXPECT_EQ(attacker(v.native_port()).ask(post_gzip(body)), 400);
}

TEST_F(bombs, millions_of_empty_lines_cost_time_and_no_memory) {
    const auto body = bomb('\n', 256 << 20);
    const within ceiling(v, {.memory_mib = 32, .cpu_s = 6});
    const int status = attacker(v.native_port()).ask(post_gzip(body));
    EXPECT_TRUE(status == 204 || status == 400 || status == 413 || status == 0) << status;
}

// Streams of nothing, one behind the other, are one stream of nothing.
TEST_F(bombs, a_body_of_empty_streams_costs_what_it_weighs) {
    const auto one = bomb('x', 0);
    std::string body;
    while (body.size() < 8u << 20) {
        body += one;
    }
    const within ceiling(v, {.memory_mib = 32, .cpu_s = 4});
    EXPECT_EQ(attacker(v.native_port()).ask(post_gzip(body)), 204);
}

TEST_F(bombs, documents_that_nest_without_end_are_refused) {
    const within ceiling(v, {.memory_mib = 32, .cpu_s = 4});
    for (const std::string_view open : {"[", "{\"a\":", "{\"fields\":{\"a\":["}) {
        std::string nested;
        while (nested.size() < 1'000'000) {
            nested += open;
        }
        for (const auto* type : {"application/json", "application/x-ndjson"}) {
            EXPECT_EQ(attacker(v.native_port())
                          .ask(fmt::format("POST /v1/logs/x HTTP/1.1\r\nHost: localhost\r\nContent-Type: {}\r\n"
                                           "Content-Length: {}\r\n\r\n{}",
                                           type, nested.size(), nested)),
                      400)
                << type << ' ' << open;
        }
        const auto policy = nested.substr(0, 4'000);
        EXPECT_EQ(attacker(v.native_port())
                      .ask(fmt::format("PUT /v1/retention/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{}",
                                       policy.size(), policy)),
                  400)
            << open;
    }
}

TEST_F(bombs, blanks_before_a_document_stop_nobody) {
    const within ceiling(v, {.memory_mib = 32, .cpu_s = 4});
    for (const size_t blanks : {1'048'000, 1'048'570, 1'048'577, 3'000'000}) {
        const auto body = std::string(blanks, ' ') + R"({"message":"hello world"})";
        EXPECT_EQ(attacker(v.native_port())
                      .ask(fmt::format("POST /v1/logs/x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                                       "Content-Length: {}\r\n\r\n{}",
                                       body.size(), body)),
                  204);
    }
}

TEST_F(bombs, a_length_that_nothing_follows_takes_no_memory) {
    const within ceiling(v, {.memory_mib = 24, .cpu_s = 2});
    std::vector<std::unique_ptr<attacker>> liars;
    for (int i = 0; i < 50; ++i) {
        liars.push_back(std::make_unique<attacker>(v.native_port()));
        liars.back()->send("POST /write HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000000\r\n\r\ncpu v=");
        liars.push_back(std::make_unique<attacker>(v.table_port()));
        liars.back()->send("POST /devstoreaccount1/$batch HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000000\r\n\r\n--b");
        liars.push_back(std::make_unique<attacker>(v.syslog_port()));
        liars.back()->send("999999999 <34>1 - - - - - - x");
    }
    EXPECT_TRUE(v.serves_others());
}

TEST_F(bombs, lengths_that_are_none_are_refused) {
    const within ceiling(v, {.memory_mib = 16, .cpu_s = 2});
    for (const auto* length : {"-1", "18446744073709551616", "0x10", "1 2", ""}) {
        EXPECT_EQ(attacker(v.native_port())
                      .ask(fmt::format("POST /write HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n", length)),
                  400)
            << length;
    }
    EXPECT_EQ(attacker(v.native_port())
                  .ask("POST /write HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff1\r\nx"),
              400);
    EXPECT_EQ(
        attacker(v.native_port())
            .ask("POST /write HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        400);
}

TEST_F(bombs, a_gigabyte_without_a_line_break_passes_through_any_door) {
    const std::string piece(1 << 20, 'x');
    const within ceiling(v, {.memory_mib = 48, .cpu_s = 20});
    for (const auto port : {v.line_port(), v.syslog_port(), v.json_port()}) {
        attacker one(port);
        for (int i = 0; i < 1024 && one.send(piece); ++i) {
        }
    }
    attacker one(v.native_port());
    one.send("POST /write HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1073741824\r\n\r\n");
    for (int i = 0; i < 1024 && one.send(piece); ++i) {
    }
    const int status = one.status();
    EXPECT_TRUE(status == 400 || status == 413) << status;
}

} // namespace
