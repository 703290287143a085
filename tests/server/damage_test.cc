// A byte that changed on the disk, seen from outside: the rest of an answer comes and names what is missing; who asks for exactly
// that gets an error.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
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
using ::testing::Not;
namespace fs = std::filesystem;

constexpr int64_t time_ns = 1'700'000'000'000'000'000; // 2023-11-14
constexpr size_t count = 40'000;

cli::response send(const running_server& server, const std::string& method, const std::string& path,
                   const std::string& body = "") {
    const auto reply = cli::send({"127.0.0.1", server.port}, {.method = method, .path = path, .body = body});
    return reply ? *reply : cli::response{};
}

// Enough for several blocks of each.
void write(const running_server& server) {
    std::string lines, records;
    for (size_t i = 0; i < count; ++i) {
        const auto at = time_ns + static_cast<int64_t>(i) * 1'000'000;
        lines += fmt::format("cpu,host=h{} number={}i {}\n", i % 5, i, at);
        records += fmt::format("record {} with the number {} and some more text\n", i, i * 7919 % 1'000'003);
    }
    ASSERT_EQ(send(server, "POST", "/write", lines).status, 204);
    ASSERT_EQ(send(server, "POST", "/v1/logs/web", records).status, 204);
}

void end(running_server& server) {
    server.process.signal(SIGTERM);
    ASSERT_EQ(server.process.wait().status, 0);
}

// Of the files there, the largest, once there is one.
fs::path wait_for_file(const std::string& folder) {
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    fs::path largest;
    while (largest.empty() && std::chrono::steady_clock::now() < patience) {
        for (const auto& entry : fs::exists(folder) ? fs::directory_iterator(folder) : fs::directory_iterator()) {
            largest = largest.empty() || entry.file_size() > fs::file_size(largest) ? entry.path() : largest;
        }
        std::this_thread::yield();
    }
    return largest;
}

void flip_byte(const fs::path& path) {
    constexpr int in_the_first_block = 40;
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(in_the_first_block);
    const auto old = static_cast<char>(file.get());
    file.seekp(in_the_first_block).put(static_cast<char>(~old));
}

size_t rows_of(const std::string& ndjson) {
    return static_cast<size_t>(std::ranges::count(ndjson, '\n'));
}

cli::response ask(const running_server& server, const std::string& path, const std::string& accept) {
    const auto reply = cli::send({"127.0.0.1", server.port}, {.path = path, .accept = accept});
    return reply ? *reply : cli::response{};
}

TEST(damage, the_rest_is_served_and_what_is_missing_is_named) {
    const temporary_directory data;
    const std::vector<std::string> one_shard{"--smp", "1"};
    {
        running_server server(data.path(), one_shard);
        write(server);
        end(server);
    }
    {
        running_server server(data.path(), one_shard); // puts what it finds in the log into files
        const auto segment = wait_for_file(data.path() + "/segments");
        const auto blob = wait_for_file(data.path() + "/blobs");
        end(server);
        flip_byte(segment);
        flip_byte(blob);
    }
    const running_server server(data.path(), one_shard);
    for (const std::string from : {"family:cpu", "source:web"}) {
        const bool is_family = from == "family:cpu";
        const std::string named = is_family ? R"({"table":"cpu20231114","start":"2023-11-14T)" : R"({"blob":"web/)";
        const auto rows = ask(server, "/v1/tail?n=100000&from=" + from, "application/x-ndjson");
        EXPECT_EQ(rows.status, 200);
        EXPECT_THAT(rows.headers.at("x-downtick-damaged"), HasSubstr(named));
        EXPECT_GT(rows_of(rows.body), count / 10);
        EXPECT_LT(rows_of(rows.body), count) << "the damaged block was served";
        const auto again = ask(server, "/v1/range?limit=100000&from=" + from, "application/json");
        EXPECT_THAT(again.body, HasSubstr("\"damaged\":[" + named));
        const auto sums = ask(server, "/v1/range?agg=count(*)&from=" + from, "text/csv");
        EXPECT_THAT(sums.headers.at("x-downtick-damaged"), HasSubstr(named));
        // The newest row of each of the five series is in the directory, too, and may come from there.
        const auto counted = std::stoul(sums.body.substr(sums.body.rfind(',') + 1));
        EXPECT_LE(counted, rows_of(rows.body));
        EXPECT_GE(counted + 5, rows_of(rows.body));
    }
    const table_reader tables(server.table_port);
    const auto page = tables.query("cpu20231114", "PartitionKey eq 'host=h0'");
    EXPECT_THAT(page, HasSubstr("500"));
    EXPECT_THAT(page, HasSubstr("bytes 0 to"));
    EXPECT_THAT(tables.query("cpu20231114", "PartitionKey eq 'host=h4' and RowKey lt '2516'"), Not(HasSubstr("500")))
        << "not in that block";
}

} // namespace
