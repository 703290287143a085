// Live tails over HTTP: every row once while many write, and nothing left behind by clients that go.

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lib/temporary_directory.hh"
#include "tests/server/line_client.hh"
#include "tests/server/server_process.hh"

namespace {

using namespace testing_lib;
using ::testing::HasSubstr;

constexpr int64_t time_ns = 1'700'000'000'000'000'000; // 2023-11-14

// Follows until it has seen so many lines; each of them.
std::vector<std::string> follow(uint16_t port, const std::string& query, size_t count, const std::function<void()>& begun = {}) {
    std::vector<std::string> lines;
    std::string rest;
    const auto take = [&](std::string_view piece) {
        rest += piece;
        for (size_t end = 0; (end = rest.find('\n')) != rest.npos; rest.erase(0, end + 1)) {
            lines.push_back(rest.substr(0, end));
            if (lines.size() == 1 && begun) {
                begun();
            }
        }
        return lines.size() < count;
    };
    (void)cli::send({"127.0.0.1", port}, {.path = "/v1/tail?follow=true&" + query, .on_body = take, .waits_forever = true});
    return lines;
}

TEST(follow, every_row_comes_once_while_others_write) {
    const temporary_directory data;
    const running_server server(data.path());
    constexpr int writers = 4;
    constexpr int batches = 100;
    constexpr int rows = 20;
    std::atomic<int> next = 0;
    const auto write_batch = [&](line_client& client) {
        std::string lines;
        for (int i = 0; i < rows; ++i) {
            const int n = next++;
            lines += fmt::format("cpu,host=h{} n={}i {}\n", n % 17, n, time_ns + n);
        }
        return client.post(lines) == 204;
    };
    line_client first(server.port);
    ASSERT_TRUE(write_batch(first));
    std::vector<std::thread> threads;
    for (int w = 0; w < writers; ++w) {
        threads.emplace_back([&] {
            line_client client(server.port);
            for (int i = 0; i < batches; ++i) {
                EXPECT_TRUE(write_batch(client));
            }
        });
    }
    // The switch from what is there to what arrives falls into the writing.
    const size_t total = size_t{writers} * batches * rows + rows;
    const auto lines = follow(server.port, "from=cpu&n=100000", total);
    for (auto& t : threads) {
        t.join();
    }
    std::map<int, int> seen;
    for (const auto& line : lines) {
        ++seen[std::stoi(line.substr(line.find("\"n\":") + 4))];
    }
    EXPECT_EQ(seen.size(), total);
    EXPECT_EQ(lines.size(), total);
}

TEST(follow, clients_that_go_leave_nothing_behind) {
    const temporary_directory data;
    const running_server server(data.path());
    line_client client(server.port);
    ASSERT_EQ(client.post(fmt::format("cpu,host=a n=1i {}\n", time_ns)), 204);
    constexpr int more_than_there_may_be = 300;
    for (int i = 0; i < more_than_there_may_be; ++i) {
        // That a client has gone is noticed soon, not at once: meanwhile there may be too many.
        auto lines = follow(server.port, "from=cpu", 1);
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (lines.empty() && std::chrono::steady_clock::now() < patience) {
            lines = follow(server.port, "from=cpu", 1);
        }
        ASSERT_EQ(lines.size(), 1u);
        ASSERT_THAT(lines[0], HasSubstr("\"n\":1")) << "after " << i;
    }
    ASSERT_EQ(client.post(fmt::format("cpu,host=a n=2i {}\n", time_ns + 1)), 204);
    EXPECT_THAT(server.get("/v1/tail?from=cpu&n=1")->body, HasSubstr("\"n\":2"));
}

TEST(follow, an_arrival_of_the_past_is_marked_as_late) {
    const temporary_directory data;
    const running_server server(data.path());
    line_client client(server.port);
    ASSERT_EQ(client.post(fmt::format("cpu,host=a n=1i {}\n", time_ns)), 204);
    constexpr int64_t a_week_ns = 7 * 86'400'000'000'000;
    const auto write_late = [&] { EXPECT_EQ(client.post(fmt::format("cpu,host=a n=2i {}\n", time_ns - a_week_ns)), 204); };
    const auto lines = follow(server.port, "from=cpu", 2, write_late);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_THAT(lines[1], HasSubstr("\"n\":2"));
    EXPECT_THAT(lines[1], HasSubstr("\"late\":true"));
}

} // namespace
