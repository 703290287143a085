// What a server does to its data by itself, seen from outside: drops and their records, verifying what is stored.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lib/temporary_directory.hh"
#include "tests/server/server_process.hh"
#include "tests/server/stored_files.hh"

namespace {

using namespace testing_lib;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t time_ns = 1'700'000'000'000'000'000; // 2023-11-14

void write(const running_server& server, int count) {
    std::string lines, records;
    for (int i = 0; i < count; ++i) {
        lines += fmt::format("cpu,host=h{} number={}i {}\n", i % 5, i, time_ns + i);
        records += fmt::format("record {} of many\n", i);
    }
    ASSERT_EQ(server.send("POST", "/write", lines).status, 204);
    ASSERT_EQ(server.send("POST", "/v1/logs/web", records).status, 204);
}

TEST(audit, a_drop_leaves_a_record_in_the_servers_own_source) {
    const temporary_directory data;
    running_server server(data.path());
    write(server, 10);
    ASSERT_EQ(server.send("PUT", "/v1/retention/cpu", R"({"keep":"1d"})").status, 200);
    EXPECT_THAT(server.send("PUT", "/v1/retention/cpu", R"({"keep":"2d","bogus":1})").body,
                HasSubstr("there is no 'bogus' here"));
    EXPECT_THAT(server.send("POST", "/v1/retention/run?dry_run=true").body, HasSubstr("cpu20231114"));
    EXPECT_THAT(server.send("GET", "/v1/tail?from=downtick").body, Not(HasSubstr("dropped"))) << "only a try";
    EXPECT_THAT(server.send("POST", "/v1/retention/run").body, HasSubstr("cpu20231114"));
    const auto records = server.send("GET", "/v1/tail?from=source:downtick").body;
    EXPECT_THAT(records, HasSubstr("dropped table cpu20231114"));
    EXPECT_THAT(records, HasSubstr("expired, 10 rows"));
    EXPECT_THAT(records, HasSubstr(R"("level":"notice")"));
}

TEST(flush, what_is_in_memory_goes_into_files_when_asked) {
    const temporary_directory data;
    running_server server(data.path(), {"--smp", "2", "--memory", "256M", "--own-metrics-seconds", "0"});
    write(server, 100);
    ASSERT_EQ(server.send("POST", "/v1/logs/web", "one record").status, 204);
    ASSERT_TRUE(std::filesystem::is_empty(data.path() + "/segments"));
    EXPECT_EQ(server.send("POST", "/v1/flush?now=true").status, 400);
    EXPECT_EQ(server.send("POST", "/v1/flush").status, 204);
    EXPECT_FALSE(std::filesystem::is_empty(data.path() + "/segments"));
    EXPECT_THAT(server.send("GET", "/v1/blobs?prefix=web/").body, Not(HasSubstr(R"("state":"open")")));
    EXPECT_THAT(server.send("GET", "/v1/tail?from=web").body, HasSubstr("one record"));
    EXPECT_THAT(server.send("GET", "/v1/tail?from=family:cpu&n=1").body, HasSubstr("number"));
}

TEST(scrub, a_sound_store_is_verified) {
    const temporary_directory data;
    running_server server(data.path());
    EXPECT_THAT(server.send("GET", "/v1/scrub").body, HasSubstr(R"("last":null)"));
    write(server, 100);
    const auto url = "http://127.0.0.1:" + std::to_string(server.port);
    const auto done = server_process({"scrub", "--server", url}).wait();
    EXPECT_EQ(done.status, 0) << done.output;
    EXPECT_THAT(done.output, HasSubstr("everything verified as of"));
    EXPECT_THAT(server_process({"scrub", "--last", "--server", url}).wait().output, HasSubstr("everything verified as of"));
    EXPECT_THAT(server.send("GET", "/metrics").body, HasSubstr("downtick_scrub_passes_total"));
}

TEST(scrub, what_the_last_pass_found_is_known_after_a_restart) {
    const temporary_directory data;
    std::string before;
    {
        running_server server(data.path());
        write(server, 100);
        ASSERT_THAT(server.send("POST", "/v1/scrub").body, HasSubstr("everything verified"));
        before = server.send("GET", "/v1/scrub").body;
        ASSERT_EQ(server.end(), 0);
    }
    {
        running_server server(data.path());
        EXPECT_EQ(server.send("GET", "/v1/scrub").body, before);
        ASSERT_EQ(server.end(), 0);
    }
    std::ofstream(data.path() + "/scrub", std::ios::binary) << "something else";
    running_server server(data.path());
    EXPECT_THAT(server.send("GET", "/v1/scrub").body, HasSubstr(R"("last":null)"));
}

// The records in it are in memory still: it is a crash that would lose them, and now is the time to know.
TEST(scrub, damage_in_the_log_is_named_while_it_is_in_use) {
    const temporary_directory data;
    running_server server(data.path(), {"--smp", "1", "--memory", "256M"});
    for (int i = 0; i < 20; ++i) {
        write(server, 100);
    }
    ASSERT_THAT(server.send("POST", "/v1/scrub").body, HasSubstr("everything verified"));
    const auto log = wait_for_file(data.path() + "/log");
    {
        std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
        constexpr int block_bytes = 4'096;
        const std::string noise(block_bytes, '\x55');
        file.seekp(5 * block_bytes).write(noise.data(), block_bytes);
    }
    const auto found = server.send("POST", "/v1/scrub").body;
    EXPECT_THAT(found, HasSubstr("log " + log.filename().string())) << found;
    EXPECT_THAT(found, HasSubstr("cannot be read any more"));
    EXPECT_THAT(server.send("GET", "/v1/tail?from=family:cpu&n=1").body, HasSubstr("number")) << "reads go on";
}

TEST(own_metrics, are_points_of_the_family_downtick_and_kept_for_a_week) {
    const temporary_directory data;
    running_server server(data.path(), {"--smp", "2", "--memory", "256M", "--own-metrics-seconds", "1"});
    write(server, 10);
    std::string points;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    const auto has = [&](const char* text) { return points.find(text) != std::string::npos; };
    while (!(has(R"("shard":"1")") && has(R"("disk":"data")")) && std::chrono::steady_clock::now() < patience) {
        points = server.send("GET", "/v1/tail?from=family:downtick&n=10").body;
    }
    for (const auto* name : {"ingest_lines", "ingest_bytes", "ingest_rejected", "rows_written", "memory_used_bytes",
                             "segment_bytes", "merge_bytes", "log_lag_us", R"("disk":"data")", "used_bytes"}) {
        EXPECT_THAT(points, HasSubstr(name));
    }
    EXPECT_THAT(server.send("GET", "/v1/retention").body, HasSubstr(R"("name":"downtick")"));
    EXPECT_THAT(server.send("GET", "/v1/retention").body, HasSubstr(R"("keep":"7d")"));
    ASSERT_EQ(server.send("PUT", "/v1/retention/downtick", R"({"keep":"1d"})").status, 200);
    EXPECT_THAT(server.send("GET", "/v1/retention/downtick").body, HasSubstr(R"("keep":"1d")"));
    EXPECT_EQ(server.send("GET", "/v1/retention/nobody").status, 404);
    ASSERT_EQ(server.end(), 0);
    running_server again(data.path());
    EXPECT_THAT(again.send("GET", "/v1/retention").body, HasSubstr(R"("keep":"1d")")) << "as somebody has set it";
    EXPECT_LT(again.send("DELETE", "/v1/retention/downtick").status, 300);
    ASSERT_EQ(again.end(), 0);
    running_server last(data.path());
    EXPECT_THAT(last.send("GET", "/v1/retention").body, Not(HasSubstr(R"("name":"downtick")"))) << "as somebody has unset it";
}

TEST(retention, policies_are_listed_by_page) {
    const temporary_directory data;
    running_server server(data.path(), {"--own-metrics-seconds", "0"});
    for (const auto* name : {"a", "b", "c"}) {
        ASSERT_EQ(server.send("PUT", std::string("/v1/retention/") + name, R"({"keep":"1d"})").status, 200);
    }
    const auto first = server.send("GET", "/v1/retention?limit=2").body;
    EXPECT_THAT(first, testing::AllOf(HasSubstr(R"("name":"b")"), HasSubstr(R"("cursor":"b")"), Not(HasSubstr(R"("name":"c")"))));
    const auto second = server.send("GET", "/v1/retention?limit=2&cursor=b").body;
    EXPECT_THAT(second,
                testing::AllOf(HasSubstr(R"("name":"c")"), HasSubstr(R"("cursor":null)"), Not(HasSubstr(R"("name":"b")"))));
    EXPECT_EQ(server.send("GET", "/v1/retention?limt=2").status, 400);
}

TEST(limits, fields_that_a_merge_has_no_room_for_are_counted) {
    const temporary_directory data;
    {
        running_server server(data.path(), {"--smp", "1", "--memory", "256M"});
        std::string line = "wide f0=0i";
        for (int i = 1; i < 252; ++i) {
            line += fmt::format(",f{}={}i", i, i);
        }
        ASSERT_EQ(server.send("POST", "/write", line + " 1794830400000000000\n").status, 204);
        ASSERT_EQ(server.send("POST", "/write", "wide g1=1i,g2=2i 1794830400000000000\n").status, 204);
        ASSERT_EQ(server.end(), 0);
    }
    running_server server(data.path(), {"--smp", "1", "--memory", "256M"}); // puts what it finds in the log into files
    std::string metrics;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!metrics.contains("fields_dropped_total{shard=\"0\"} 2") && std::chrono::steady_clock::now() < patience) {
        metrics = server.send("GET", "/metrics").body;
    }
    EXPECT_THAT(metrics, HasSubstr("downtick_tables_fields_dropped_total{shard=\"0\"} 2"));
}

TEST(own_log, is_in_the_source_downtick_soon_after_the_first_start) {
    const temporary_directory data;
    running_server server(data.path(), {"--smp", "2", "--memory", "256M", "--own-metrics-seconds", "1"});
    std::string records;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!records.contains("replayed 0 rows") && std::chrono::steady_clock::now() < patience) {
        records = server.send("GET", "/v1/tail?from=source:downtick&where=level%20le%20%27info%27").body;
    }
    EXPECT_THAT(records, HasSubstr("replayed 0 rows"));
    EXPECT_THAT(records, HasSubstr(R"("level":"info")"));
}

TEST(scrub, damage_in_a_segment_and_in_a_blob_is_named_and_the_rest_is_served) {
    const temporary_directory data;
    {
        running_server server(data.path());
        write(server, 100);
        ASSERT_EQ(server.end(), 0);
    }
    std::filesystem::path segment, blob;
    {
        running_server server(data.path()); // puts what it finds in the log into files
        segment = wait_for_file(data.path() + "/segments");
        blob = wait_for_file(data.path() + "/blobs");
        ASSERT_THAT(server.send("POST", "/v1/scrub").body, HasSubstr("everything verified"));
        ASSERT_EQ(server.end(), 0);
    }
    flip_byte(segment);
    flip_byte(blob);
    running_server server(data.path());
    ASSERT_EQ(server.send("POST", "/v1/logs/other", "another source\n").status, 204);
    const auto url = "http://127.0.0.1:" + std::to_string(server.port);
    const auto done = server_process({"scrub", "--server", url}).wait();
    EXPECT_EQ(done.status, 1) << done.output;
    EXPECT_THAT(done.output, HasSubstr(segment.filename().string()));
    EXPECT_THAT(done.output, HasSubstr("blob web/"));
    EXPECT_THAT(done.output, HasSubstr("ranges are damaged"));
    EXPECT_THAT(server.send("GET", "/v1/tail?from=other").body, HasSubstr("another source"));
    EXPECT_THAT(server.send("GET", "/metrics").body, HasSubstr("downtick_scrub_damaged_ranges_count"));
}

} // namespace
