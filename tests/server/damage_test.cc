// A byte that changed on the disk, seen from outside: the rest of an answer comes and names what is missing; who asks for exactly
// that gets an error.

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lib/temporary_directory.hh"
#include "tests/server/line_client.hh"
#include "tests/server/server_process.hh"
#include "tests/server/stored_files.hh"

namespace {

using namespace testing_lib;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t time_ns = 1'700'000'000'000'000'000; // 2023-11-14
constexpr size_t count = 40'000;

// Enough for several blocks of each.
void write(const running_server& server) {
    std::string lines, records;
    for (size_t i = 0; i < count; ++i) {
        const auto at = time_ns + static_cast<int64_t>(i) * 1'000'000;
        lines += fmt::format("cpu,host=h{} number={}i {}\n", i % 5, i, at);
        records += fmt::format("record {} with the number {} and some more text\n", i, i * 7919 % 1'000'003);
    }
    ASSERT_EQ(server.send("POST", "/write", lines).status, 204);
    ASSERT_EQ(server.send("POST", "/v1/logs/web", records).status, 204);
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
        ASSERT_EQ(server.end(), 0);
    }
    {
        running_server server(data.path(), one_shard); // puts what it finds in the log into files
        const auto segment = wait_for_file(data.path() + "/segments");
        const auto blob = wait_for_file(data.path() + "/blobs");
        ASSERT_EQ(server.end(), 0);
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
        // How many rows there are would be known without them.
        const std::string calls = is_family ? "avg(number),count(*)" : "count(*)";
        const auto sums = ask(server, fmt::format("/v1/range?agg={}&from={}", calls, from), "text/csv");
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
