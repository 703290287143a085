// Logs end to end: a real server, senders over HTTP and TCP, a kill, and everything found again.

#include <chrono>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <csignal>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "cli/http_client.hh"
#include "http/core/percent.hh"
#include "tests/lib/temporary_directory.hh"
#include "tests/server/server_process.hh"

namespace {

using namespace testing_lib;

// Sends all of it over TCP and ends.
void send_over_tcp(uint16_t port, std::string_view bytes) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    ASSERT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    while (!bytes.empty()) {
        const auto sent = ::write(fd, bytes.data(), bytes.size());
        ASSERT_GT(sent, 0);
        bytes.remove_prefix(static_cast<size_t>(sent));
    }
    ::close(fd);
}

struct log_server {
    explicit log_server(const std::string& data, const std::string& zone = "UTC")
        : syslog_port(free_port()), json_port(free_port()),
          server(data, {"--smp", "2", "--memory", "256M", "--syslog-port", std::to_string(syslog_port), "--json-port",
                        std::to_string(json_port), "--syslog-zone", zone}) {}

    std::string get(const std::string& path) {
        auto reply = cli::get({"127.0.0.1", server.port}, path, "");
        return reply ? reply->body : base::to_string(reply.error());
    }
    int post(const std::string& source, const std::string& body) {
        auto reply = cli::send({"127.0.0.1", server.port}, {.method = "POST", .path = "/v1/logs/" + source, .body = body});
        return reply ? reply->status : 0;
    }
    // TCP acknowledges nothing: asks until it is there.
    std::string get_until(const std::string& path, std::string_view wanted) {
        std::string body;
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!body.contains(wanted) && std::chrono::steady_clock::now() < patience) {
            body = get(path);
        }
        return body;
    }

    uint16_t syslog_port, json_port;
    running_server server;
};

TEST(logs, lists_of_sources_page_whatever_the_names_are) {
    const temporary_directory data;
    log_server s(data.path());
    EXPECT_EQ(s.post("caf%C3%A9", "one\n"), 204);
    EXPECT_EQ(s.post("caf%C3%AA", "two\n"), 204);
    EXPECT_EQ(s.post("web", "three\n"), 204);
    const auto url = fmt::format("http://127.0.0.1:{}", s.server.port);
    const std::vector<std::vector<std::string>> lists{{"sources"}, {"blob", "ls"}};
    for (auto command : lists) {
        command.insert(command.end(), {"--server", url});
        const auto done = server_process(command).wait();
        EXPECT_EQ(done.status, 0) << done.output;
        EXPECT_TRUE(done.output.contains("caf\u00e9") && done.output.contains("web")) << done.output;
    }
    EXPECT_TRUE(s.get("/v1/sources?limit=1").contains(R"("cursor":"caf%C3%A9"})"));
    const auto second = s.get("/v1/sources?limit=1&cursor=caf%25C3%25A9");
    EXPECT_TRUE(second.contains(R"("cursor":"caf%C3%AA"})")) << second;
    EXPECT_TRUE(s.get("/v1/sources?limit=1&cursor=caf%25C3%25AA").contains(R"("source":"web")"));
    EXPECT_TRUE(s.get("/v1/sources?cursor=web").contains(R"({"sources":[],"cursor":null})"));
}

TEST(logs, come_in_over_http_and_are_found) {
    const temporary_directory data;
    log_server s(data.path());
    EXPECT_EQ(s.post("web", "one line\nanother line with an error\n"), 204);
    const auto found = s.get("/v1/tail?from=web&where=contains(message,%27error%27)");
    EXPECT_TRUE(found.contains(R"("source":"web")") && found.contains("another line with an error")) << found;
    EXPECT_FALSE(found.contains("one line")) << found;
    EXPECT_TRUE(s.get("/v1/sources").contains(R"("source":"web","records":2)"));
}

TEST(logs, a_source_has_a_name_that_answers_can_show) {
    const temporary_directory data;
    log_server s(data.path());
    EXPECT_EQ(s.post("%FFx", "one line\n"), 400);
    EXPECT_EQ(s.post("%C3%BCber", "one line\n"), 204);
    EXPECT_TRUE(s.get("/v1/sources").contains("{\"source\":\"\u00fcber\"")) << s.get("/v1/sources");
}

TEST(logs, syslog_in_both_framings_and_both_formats) {
    const temporary_directory data;
    log_server s(data.path());
    const std::string modern = "<34>1 2026-11-16T09:30:00.003Z mymachine su - ID47 - first\nof two lines";
    send_over_tcp(s.syslog_port, "<13>Oct 11 22:14:15 old cron[7]: by newline\n" + fmt::format("{} {}", modern.size(), modern) +
                                     "<13>Oct 11 22:14:16 old cron[7]: and again\n");
    EXPECT_TRUE(s.get_until("/v1/tail?from=cron", "and again").contains("by newline"));
    const auto found = s.get_until("/v1/tail?from=su", "first");
    EXPECT_TRUE(found.contains(R"(first\nof two lines)") && found.contains(R"("host":"mymachine")")) << found;
}

TEST(logs, what_was_acknowledged_survives_a_kill) {
    const temporary_directory data;
    {
        log_server s(data.path());
        for (int i = 0; i < 50; ++i) {
            ASSERT_EQ(s.post("web", fmt::format("line {}\n", i)), 204);
        }
        s.server.process.signal(SIGKILL);
        s.server.process.wait();
    }
    log_server s(data.path());
    const auto found = s.get("/v1/range?from=web&start=-1h&limit=1000");
    for (int i = 0; i < 50; ++i) {
        EXPECT_TRUE(found.contains(fmt::format(R"("line {}")", i))) << i;
    }
    // What was replayed has been sealed, and its text is that of the lines.
    const auto blobs = s.get_until("/v1/blobs?prefix=web/", R"("state":"sealed")");
    EXPECT_TRUE(blobs.contains(R"("state":"sealed")")) << blobs;
}

TEST(logs, dates_without_a_zone_are_of_the_zone_that_is_set) {
    const temporary_directory data;
    log_server logs(data.path(), "+02:00");
    const auto now = std::chrono::floor<std::chrono::minutes>(std::chrono::system_clock::now());
    const auto theirs = now + std::chrono::hours(2);
    send_over_tcp(logs.syslog_port, fmt::format("<13>{:%b %d %H:%M:%S} host clock: tick\n", theirs));
    const auto wanted = fmt::format("\"time\":\"{:%Y-%m-%dT%H:%M}:00Z\"", now);
    EXPECT_TRUE(logs.get_until("/v1/tail?from=source:clock", "tick").contains(wanted)) << wanted;
}

} // namespace
