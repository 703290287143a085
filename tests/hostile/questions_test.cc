// Questions made to cost more than their answer is worth: patterns, deep and long filters, names that are paths, floods of
// headers, readers that do not read.

#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "http/core/percent.hh"
#include "tests/hostile/victim.hh"

namespace {

using namespace hostile;

std::string repeated(std::string_view text, size_t count) {
    std::string all;
    for (size_t i = 0; i < count; ++i) {
        all += text;
    }
    return all;
}

std::string where(const std::string& filter) {
    return get("/v1/tail?from=source:text&n=10&where=" + http::percent_encode(filter));
}

class questions : public ::testing::Test {
protected:
    // So much that a pattern which goes back and forth would never end.
    void write_texts() {
        std::string lines;
        for (int i = 0; i < 200; ++i) {
            lines += std::string(4000, 'a') + "!\n";
        }
        ASSERT_EQ(cli::send({"127.0.0.1", v.native_port()}, {.method = "POST", .path = "/v1/logs/text", .body = lines})->status,
                  204);
    }
    static bool is_refused(int status) { return status >= 400 && status < 500; }

    victim v;
};

TEST_F(questions, patterns_that_ruin_others_take_time_in_the_length_of_the_text) {
    write_texts();
    const within ceiling(v, {.memory_mib = 48, .cpu_s = 10});
    for (const auto* pattern : {"(a+)+$", "(a|aa)+$", "(a|a?)+$", "(.*a){12}$", "(a*)*b", "^(([a-z])+.)+[A-Z]([a-z])+$"}) {
        EXPECT_EQ(attacker(v.native_port()).ask(where(fmt::format("matchesPattern(message,'{}')", pattern))), 200) << pattern;
    }
    for (const auto& pattern : {std::string("((a{1,1000}){1,1000}){1,1000}"), "(" + repeated("a?", 500) + "){900}",
                                repeated("(", 900) + "a" + repeated(")*", 900), std::string(5'000, 'a')}) {
        EXPECT_TRUE(is_refused(attacker(v.native_port()).ask(where(fmt::format("matchesPattern(message,'{}')", pattern)))))
            << pattern.substr(0, 40);
    }
}

TEST_F(questions, filters_too_deep_or_too_long_are_refused_before_they_are_run) {
    const within ceiling(v, {.memory_mib = 24, .cpu_s = 3});
    for (const auto& filter :
         {repeated("(", 9'000) + "level eq 1" + repeated(")", 9'000), repeated("not ", 9'000) + "true",
          repeated("host eq 'x' or ", 3'500) + "true", repeated("not (", 5'000), repeated("-", 10'000) + "1 eq 1"}) {
        EXPECT_TRUE(is_refused(attacker(v.native_port()).ask(where(filter)))) << filter.substr(0, 40);
        const int status = attacker(v.table_port()).ask(get("/devstoreaccount1/T()?$filter=" + http::percent_encode(filter)));
        EXPECT_TRUE(is_refused(status)) << status;
    }
}

TEST_F(questions, names_are_never_paths) {
    const auto listing = [&] {
        std::set<std::string> all;
        for (const auto& entry : std::filesystem::directory_iterator(v.place().path())) {
            all.insert(entry.path().string());
        }
        return all;
    };
    const auto before = listing();
    const within ceiling(v, {.memory_mib = 24, .cpu_s = 3});
    for (const auto* name : {"..%2f..%2fescaped", "..%5cescaped", "%2e%2e%2f%2e%2e%2fescaped", "../../escaped", "%2fetc%2fpasswd",
                             "a%00b", ".", ".."}) {
        attacker(v.native_port())
            .ask(fmt::format("POST /v1/logs/{} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\nx\n", name));
        attacker(v.native_port())
            .ask(fmt::format("PUT /v1/tables/{} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", name));
        attacker(v.native_port())
            .ask(fmt::format("PUT /v1/retention/{} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n{{\"keep\":\"1d\"",
                             name));
        for (const auto port : {v.native_port(), v.table_port(), v.blob_port()}) {
            for (const auto* root : {"/", "/v1/blobs/", "/devstoreaccount1/", "/devstoreaccount1/logs/"}) {
                EXPECT_NE(attacker(port).ask(get(fmt::format("{}{}", root, name))), 200) << root << name;
            }
        }
    }
    // As a line, too: its family becomes a table, and its time a period.
    attacker(v.native_port())
        .ask("POST /write HTTP/1.1\r\nHost: localhost\r\nContent-Length: 21\r\n\r\n../../escaped,a=../b v=1");
    EXPECT_EQ(listing(), before);
    EXPECT_FALSE(std::filesystem::exists(v.place().path() + "/../escaped"));
}

// Each would be a line of the catalog for good.
TEST_F(questions, policies_of_endless_names_are_refused) {
    const within ceiling(v, {.memory_mib = 24, .cpu_s = 4});
    for (int i = 0; i < 100; ++i) {
        const auto name = fmt::format("{:04}{}", i, std::string(60'000, 'n'));
        EXPECT_EQ(
            attacker(v.native_port())
                .ask(fmt::format(
                    "PUT /v1/retention/{} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 13\r\n\r\n{{\"keep\":\"1d\"}}", name)),
            400);
    }
}

TEST_F(questions, floods_of_headers_are_cut_off) {
    const within ceiling(v, {.memory_mib = 24, .cpu_s = 3});
    for (const auto port : {v.native_port(), v.table_port(), v.blob_port()}) {
        EXPECT_EQ(attacker(port).ask("GET / HTTP/1.1\r\nHost: localhost\r\n" + repeated("X-Flood: y\r\n", 10'000) + "\r\n"), 431);
        EXPECT_EQ(attacker(port).ask("GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + std::string(1 << 20, 'y') + "\r\n\r\n"),
                  431);
        EXPECT_EQ(attacker(port).ask("GET /" + std::string(1 << 20, 'y') + " HTTP/1.1\r\nHost: localhost\r\n\r\n"), 414);
    }
    attacker endless(v.native_port());
    endless.send("GET / HTTP/1.1\r\nHost: localhost\r\n");
    for (int i = 0; i < 1'000 && endless.send("X-Drop: " + std::string(1'000, 'z') + "\r\n"); ++i) {
    }
    EXPECT_TRUE(v.serves_others());
}

TEST_F(questions, senders_that_never_finish_take_little_each) {
    const within ceiling(v, {.memory_mib = 48, .cpu_s = 4});
    std::vector<std::unique_ptr<attacker>> senders;
    const std::pair<uint16_t, std::string> beginnings[] = {
        {v.native_port(), "GET /v1/tail?from=x HTTP/1.1\r\nHost: localhost\r\nX-Begun: "},
        {v.native_port(), "POST /write HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ncpu "},
        {v.table_port(), "POST /devstoreaccount1/T HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"},
        {v.line_port(), "cpu,host=a text=\"not "},
        {v.json_port(), "{\"source\":\"x\",\"message\":\"not "},
        {v.syslog_port(), "100 <34>1 - - not "}};
    for (int i = 0; i < 60; ++i) {
        for (const auto& [port, beginning] : beginnings) {
            senders.push_back(std::make_unique<attacker>(port));
            senders.back()->send(beginning);
        }
        EXPECT_TRUE(i % 20 != 0 || v.serves_others());
    }
}

TEST_F(questions, readers_that_do_not_read_hold_no_answers) {
    std::string lines;
    for (int i = 0; i < 20'000; ++i) {
        lines += fmt::format("wide,s={} text=\"{}\" {}\n", i % 10, std::string(1'000, 'w'), 1'700'000'000'000'000'000 + i);
    }
    ASSERT_EQ(cli::send({"127.0.0.1", v.native_port()}, {.method = "POST", .path = "/write", .body = lines})->status, 204);
    // All of it is what queries may have of the configured memory, and no more than that.
    const within ceiling(v, {.memory_mib = 128, .cpu_s = 20});
    std::vector<std::unique_ptr<attacker>> readers;
    for (int i = 0; i < 100; ++i) {
        readers.push_back(std::make_unique<attacker>(v.native_port()));
        readers.back()->send(get("/v1/range?from=family:wide&start=1699999999&end=1700000001&limit=20000"));
    }
    EXPECT_TRUE(v.serves_others());
}

} // namespace
