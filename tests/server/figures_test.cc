// What the server says about its tables and its disk, beside what the disk says itself; and the deletion of rows from outside.

#include <chrono>
#include <filesystem>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>
#include <sys/stat.h>

#include "tests/lib/temporary_directory.hh"
#include "tests/server/server_process.hh"

namespace {

using namespace testing_lib;
using ::testing::HasSubstr;

struct figures_server : running_server {
    using running_server::running_server;

    cli::response call(std::string method, std::string path, std::string body = {}) {
        auto reply =
            cli::send({"127.0.0.1", port}, {.method = std::move(method), .path = std::move(path), .body = std::move(body)});
        return reply ? *reply : cli::response{0, base::to_string(reply.error()), {}};
    }
};

// As `du` does: blocks, each file once.
uint64_t blocks_of(const std::string& directory) {
    uint64_t bytes = 0;
    std::error_code gone; // a log file may be recycled meanwhile
    for (auto at = std::filesystem::recursive_directory_iterator(directory);
         at != std::filesystem::recursive_directory_iterator(); at.increment(gone)) {
        struct stat facts{};
        if (::stat(at->path().c_str(), &facts) == 0) {
            bytes += static_cast<uint64_t>(facts.st_blocks) * 512;
        }
    }
    return bytes;
}

uint64_t number_at(const std::string& json, std::string_view name) {
    simdjson::dom::parser parser;
    uint64_t value = 0;
    EXPECT_EQ(parser.parse(json)[name].get(value), simdjson::SUCCESS) << name << " in " << json;
    return value;
}

TEST(figures, the_parts_add_up_to_what_du_says) {
    const temporary_directory data;
    figures_server server(data.path());
    std::mt19937_64 random(1);
    for (int batch = 0; batch < 40; ++batch) {
        std::string lines;
        for (int i = 0; i < 2'000; ++i) {
            lines += fmt::format("cpu,host=h{} a=\"{:x}{:x}\",b={}\n", i % 10, random(), random(), random() % 1000);
        }
        ASSERT_EQ(server.call("POST", "/write", lines).status, 204);
        ASSERT_EQ(server.call("POST", "/v1/logs/web", lines).status, 204);
    }
    // Log files are made ahead in the background, so the two are compared until they agree.
    double difference = 1;
    std::string json;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (difference > 0.01 && std::chrono::steady_clock::now() < patience) {
        json = server.call("GET", "/v1/disk").body;
        const auto said = static_cast<double>(number_at(json, "used_bytes"));
        const auto real = static_cast<double>(blocks_of(data.path()));
        difference = std::abs(said - real) / real;
    }
    EXPECT_LE(difference, 0.01) << json << " and du has " << blocks_of(data.path());
    EXPECT_GT(number_at(json, "free_bytes"), 0u);
    EXPECT_EQ(number_at(json, "reserve_bytes"), 256u << 20);
}

TEST(figures, a_table_says_what_it_holds_and_when_it_goes) {
    const temporary_directory data;
    figures_server server(data.path());
    const auto day = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    const auto at =
        std::chrono::duration_cast<std::chrono::seconds>((day - std::chrono::days(3) + std::chrono::hours(1)).time_since_epoch())
            .count();
    ASSERT_EQ(
        server.call("POST", "/write?precision=s", fmt::format("cpu,host=a n=1 {}\ncpu,host=b n=2 {}\n", at, at + 60)).status,
        204);
    ASSERT_EQ(server.call("PUT", "/v1/retention/cpu", R"({"keep":"30d"})").status, 200);
    ASSERT_EQ(server.call("PUT", "/v1/tables/Plain").status, 201);
    const auto json = server.call("GET", "/v1/tables").body;
    const auto date = [](auto days) { return std::chrono::year_month_day(days); };
    EXPECT_THAT(json, HasSubstr("\"rows\":2,\"bytes\":0,\"bytes_per_row\":null"));
    EXPECT_THAT(json, HasSubstr(fmt::format("\"oldest\":\"{0}T01:00:00Z\",\"newest\":\"{0}T01:01:00Z\"",
                                            std::format("{}", date(day - std::chrono::days(3))))));
    EXPECT_THAT(json,
                HasSubstr(fmt::format("\"next_drop\":\"{}T00:00:00Z\"", std::format("{}", date(day + std::chrono::days(28))))));
    EXPECT_THAT(json, HasSubstr("\"name\":\"Plain\"")) << "a table without rows is there too";
    EXPECT_THAT(json, HasSubstr("\"files\":0,\"oldest\":null,\"newest\":null,\"next_drop\":null"));
    EXPECT_EQ(server.call("GET", "/v1/tables?limit=0").status, 400);
    EXPECT_THAT(server.call("GET", "/v1/tables?limit=1").body, HasSubstr("\"cursor\":\"Plain\""));
}

TEST(deletion, rows_go_at_once_and_stay_away_after_a_kill) {
    const temporary_directory data;
    {
        figures_server server(data.path());
        ASSERT_EQ(server.call("POST", "/write", "cpu,host=a n=1\ncpu,host=b n=2\n").status, 204);
        EXPECT_EQ(server.call("DELETE", "/v1/families/cpu").status, 400);
        EXPECT_EQ(server.call("DELETE", "/v1/families/cpu?were=x").status, 400);
        EXPECT_EQ(server.call("DELETE", "/v1/families/nothing?start=-1h").status, 404);
        const auto reply = server.call("DELETE", "/v1/families/cpu?where=host%20eq%20%27a%27");
        EXPECT_EQ(reply.status, 200);
        EXPECT_EQ(reply.body, "{\"deleted\":1}\n");
        EXPECT_THAT(server.call("GET", "/v1/tail?from=cpu").body, ::testing::Not(HasSubstr("\"host\":\"a\"")));
        server.process.signal(SIGKILL);
        server.process.wait();
    }
    figures_server server(data.path());
    const auto left = server.call("GET", "/v1/tail?from=cpu").body;
    EXPECT_THAT(left, HasSubstr("\"host\":\"b\""));
    EXPECT_THAT(left, ::testing::Not(HasSubstr("\"host\":\"a\"")));
}

TEST(deletion, the_command_wants_to_be_sure) {
    const temporary_directory data;
    figures_server server(data.path());
    ASSERT_EQ(server.call("POST", "/write", "cpu,host=a n=1\n").status, 204);
    const auto url = fmt::format("http://127.0.0.1:{}", server.port);
    const auto unsure = server_process({"families", "delete", "cpu", "--where", "host eq 'a'", "--server", url}).wait();
    EXPECT_EQ(unsure.status, 2);
    EXPECT_THAT(unsure.output, HasSubstr("--yes"));
    const auto sure = server_process({"families", "delete", "cpu", "--where", "host eq 'a'", "--yes", "--server", url}).wait();
    EXPECT_EQ(sure.status, 0);
    EXPECT_THAT(sure.output, HasSubstr("{\"deleted\":1}"));
}

} // namespace
