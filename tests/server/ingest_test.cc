// The intake from outside: real sockets, the real process, the rows read back through the Table port.

#include <csignal>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/lib/temporary_directory.hh"
#include "tests/server/line_client.hh"
#include "tests/server/server_process.hh"

namespace {

using namespace testing_lib;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

// A server with all ports for lines.
struct ingest_server {
    explicit ingest_server(const std::string& data, std::vector<std::string> more = {})
        : line_port(free_port()), json_port(free_port()), graphite_port(free_port()), server(data, arguments(std::move(more))) {}

    std::vector<std::string> arguments(std::vector<std::string> more) const {
        more.insert(more.end(), {"--smp", "2", "--memory", "256M", "--line-port", std::to_string(line_port), "--json-port",
                                 std::to_string(json_port), "--graphite-port", std::to_string(graphite_port)});
        return more;
    }
    table_reader tables() const { return table_reader(server.table_port); }
    uint64_t resident_kib() {
        std::ifstream status(fmt::format("/proc/{}/status", server.process.pid()));
        for (std::string word; status >> word;) {
            if (word == "VmRSS:") {
                uint64_t kib = 0;
                status >> kib;
                return kib;
            }
        }
        return 0;
    }

    uint16_t line_port, json_port, graphite_port;
    running_server server;
};

constexpr int64_t time_ns = 1'700'000'000'000'000'000; // 2023-11-14

TEST(ingest, what_comes_in_by_any_door_is_read_through_the_table_port) {
    temporary_directory data;
    ingest_server s(data.path());
    EXPECT_EQ(line_client(s.server.port).post(fmt::format("cpu,door=http v=1 {}\n", time_ns)), 204);
    const auto send = [](uint16_t port, const std::string& text) {
        line_client client(port);
        client.send(text);
        client.finish();
    };
    send(s.line_port, fmt::format("cpu,door=line v=2 {}\n", time_ns));
    send(s.json_port, fmt::format(R"({{"family":"cpu","time":{},"tags":{{"door":"json"}},"fields":{{"v":3}}}})"
                                  "\n",
                                  time_ns));
    send(s.graphite_port, "cpu;door=graphite 4 1700000000\n");
    for (const auto* door : {"http", "line", "json", "graphite"}) {
        EXPECT_EQ(s.tables().count("cpu20231114", fmt::format("door={}", door)), 1u) << door;
    }
    EXPECT_THAT(s.tables().query("cpu20231114", "PartitionKey eq 'door=graphite'"), HasSubstr("\"value\":4.0"));
    EXPECT_THAT(s.server.get("/metrics")->body, HasSubstr("downtick_ingest_points_total{protocol=\"graphite\""));
}

TEST(ingest, a_token_is_asked_for_where_there_is_one) {
    temporary_directory data;
    ingest_server s(data.path(), {"--token", "s3cret"});
    const auto post = [&](std::string_view fields) { return line_client(s.server.port).post("cpu v=1", fields); };
    EXPECT_EQ(post(""), 401);
    EXPECT_EQ(post("Authorization: Token wrong\r\n"), 401);
    EXPECT_EQ(post("Authorization: Token s3cret\r\n"), 204);
    EXPECT_EQ(post("Authorization: Bearer s3cret\r\n"), 204);
    EXPECT_EQ(s.server.get("/ping")->status, 204);
}

// A server may find that the kernel has not given the I/O slots of the killed one back yet.
std::unique_ptr<ingest_server> start_patiently(const std::string& data) {
    for (int attempt = 0;; ++attempt) {
        try {
            return std::make_unique<ingest_server>(data);
        } catch (const std::runtime_error& e) {
            if (attempt == 50 || std::string(e.what()).find("aio-max-nr") == std::string::npos) {
                throw;
            }
            std::this_thread::sleep_for(100ms);
        }
    }
}

constexpr int rounds_count = 50;
constexpr size_t batch_lines = 3;
constexpr size_t part_batches = 300; // of one partition, so that it fits a page
constexpr auto sent_early_enough = 200ms;

struct round_record {
    size_t batches_acknowledged = 0;
    std::vector<std::chrono::steady_clock::time_point> sent; // lines over TCP, in their order
    std::chrono::steady_clock::time_point killed;
};

// The first write of a shard waits until its log file has been prepared.
void wait_for_logs(ingest_server& s) {
    std::string lines;
    for (int i = 0; i < 32; ++i) {
        lines += fmt::format("warm,i={} v=1\n", i);
    }
    ASSERT_EQ(line_client(s.server.port).post(lines), 204);
}

// Writes on both doors until the server is killed under it.
round_record ingest_until_killed(ingest_server& s, int round) {
    round_record record;
    wait_for_logs(s);
    std::thread http([&] {
        line_client client(s.server.port);
        for (size_t batch = 0;; ++batch) {
            std::string lines;
            for (size_t i = 0; i < batch_lines; ++i) {
                const auto time = time_ns + static_cast<int64_t>(batch * batch_lines + i);
                lines += fmt::format("acked,part={},round={} v={}i {}\n", batch / part_batches, round, i, time);
            }
            if (client.post(lines) != 204) {
                return;
            }
            record.batches_acknowledged = batch + 1;
        }
    });
    std::thread tcp([&] {
        line_client client(s.line_port);
        for (int64_t i = 0; i < 900; ++i) {
            if (!client.send(fmt::format("streamed,round={} v={}i {}\n", round, i, time_ns + i))) {
                return;
            }
            record.sent.push_back(std::chrono::steady_clock::now());
            std::this_thread::sleep_for(1ms);
        }
    });
    std::this_thread::sleep_for(250ms + std::chrono::milliseconds(std::rand() % 200));
    record.killed = std::chrono::steady_clock::now();
    s.server.process.signal(SIGKILL);
    http.join();
    tcp.join();
    return record;
}

void expect_kept(const table_reader& tables, const round_record& record, int round) {
    // The last batch may be there without a word: its reply did not come through.
    const size_t acknowledged = record.batches_acknowledged;
    size_t kept_rows = 0;
    for (size_t part = 0; part <= acknowledged / part_batches; ++part) {
        kept_rows += tables.count("acked20231114", fmt::format("part={},round={}", part, round));
    }
    ASSERT_GE(kept_rows, acknowledged * batch_lines) << "round " << round;
    ASSERT_LE(kept_rows, (acknowledged + 1) * batch_lines) << "round " << round;
    const auto owed =
        static_cast<size_t>(std::ranges::count_if(record.sent, [&](auto at) { return at + sent_early_enough < record.killed; }));
    const auto kept = tables.count("streamed20231114", fmt::format("round={}", round));
    ASSERT_GE(kept, owed) << "round " << round;
    ASSERT_LE(kept, record.sent.size() + 1) << "round " << round;
}

TEST(ingest_kill, what_was_acknowledged_or_sent_in_time_survives_fifty_kills) {
    const auto seed = static_cast<unsigned>(std::chrono::system_clock::now().time_since_epoch().count());
    std::srand(seed);
    SCOPED_TRACE(seed);
    temporary_directory data;
    size_t batches_count = 0;
    round_record last;
    for (int round = 0; round < rounds_count; ++round) {
        auto s = start_patiently(data.path());
        if (round > 0) {
            expect_kept(s->tables(), last, round - 1);
            if (::testing::Test::HasFatalFailure()) {
                return;
            }
        }
        last = ingest_until_killed(*s, round);
        batches_count += last.batches_acknowledged;
    }
    const auto s = start_patiently(data.path());
    expect_kept(s->tables(), last, rounds_count - 1);
    EXPECT_GT(batches_count, rounds_count) << "too little was going on";
}

// The limit of a container was lowered, say. What does not fit goes into files while the logs are read.
TEST(ingest_kill, a_log_that_does_not_fit_into_memory_is_all_there_after_the_start) {
    const temporary_directory data;
    constexpr int batches = 150;
    constexpr int rows = 1'000;
    constexpr int records = 300;
    {
        running_server server(data.path(), {"--smp", "2", "--memory", "1G"});
        line_client client(server.port);
        for (int i = 0; i < batches; ++i) {
            std::string lines;
            std::string logged;
            for (int r = 0; r < rows; ++r) {
                lines += fmt::format("wide,host=h{} n={}i,text=\"{:0500}\" {}\n", r % 10, r, i, time_ns + i * rows + r);
            }
            for (int r = 0; r < records; ++r) {
                logged += fmt::format("{} {} {:0400}\n", i, r, i * records + r);
            }
            ASSERT_EQ(client.post(lines), 204);
            ASSERT_EQ(server.send("POST", "/v1/logs/web", logged).status, 204);
        }
        server.process.signal(SIGKILL);
        server.process.wait();
    }
    // On other cores, then on the same again: what the first start took into files is not there a second time.
    using options = std::vector<std::string>;
    for (const auto& little : {options{"--smp", "1", "--memory", "96M"}, options{"--smp", "2", "--memory", "192M"}}) {
        running_server server(data.path(), little);
        const auto found = server.get("/v1/range?from=wide&start=0&agg=count(n)");
        ASSERT_TRUE(found);
        EXPECT_THAT(found->body, HasSubstr(fmt::format(":{}", batches * rows)));
        const auto logged = server.get("/v1/range?from=source:web&start=0&agg=count(*)");
        ASSERT_TRUE(logged);
        EXPECT_THAT(logged->body, HasSubstr(fmt::format(":{}", batches * records)));
        server.process.signal(SIGKILL);
        server.process.wait();
    }
}

// The sum over protocols and shards; nothing but digits is behind a name and its labels.
uint64_t metric_sum(const ingest_server& s, const std::string& name) {
    const auto text = s.server.get("/metrics")->body;
    uint64_t sum = 0;
    for (size_t at = text.find('\n' + name + '{'); at != text.npos; at = text.find('\n' + name + '{', at + 1)) {
        sum += std::stoull(text.substr(text.find("} ", at) + 2, 20));
    }
    return sum;
}

TEST(ingest_hostile, thousands_of_idle_connections_cost_little_and_others_are_served) {
    constexpr rlim_t connections_count = 5'000;
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_max < connections_count + 100) {
        GTEST_SKIP() << "this process may not have so many files";
    }
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
    temporary_directory data;
    ingest_server s(data.path());
    wait_for_logs(s);
    const auto before = s.resident_kib();
    std::vector<std::unique_ptr<line_client>> idle;
    for (rlim_t i = 0; i < connections_count; ++i) {
        idle.push_back(std::make_unique<line_client>(s.line_port));
        idle.back()->send("c");
    }
    // Where the kernel has few slots for asynchronous I/O left, some are turned away.
    const auto seen = [&] {
        return metric_sum(s, "downtick_ingest_connections_open") + metric_sum(s, "downtick_ingest_connections_refused_total");
    };
    for (int i = 0; i < 600 && seen() < connections_count; ++i) {
        std::this_thread::sleep_for(100ms);
    }
    EXPECT_EQ(seen(), connections_count);
    EXPECT_LT(s.resident_kib(), before + 16 * connections_count);
    EXPECT_EQ(line_client(s.server.port).post("cpu v=2"), 204);
}

TEST(ingest_hostile, memory_stays_flat_and_others_are_served) {
    temporary_directory data;
    ingest_server s(data.path());
    EXPECT_EQ(line_client(s.server.port).post("cpu v=1"), 204);
    const auto before = s.resident_kib();

    std::vector<std::unique_ptr<line_client>> slow; // one byte each, and never another
    for (int i = 0; i < 200; ++i) {
        slow.push_back(std::make_unique<line_client>(s.line_port));
        slow.back()->send("c");
    }
    line_client endless(s.line_port);
    const std::string piece(1 << 20, 'x');
    for (int i = 0; i < 1024; ++i) {
        ASSERT_TRUE(endless.send(piece));
    }
    std::string garbage(1 << 20, '\0');
    for (auto& c : garbage) {
        c = static_cast<char>(std::rand());
    }
    for (const auto port : {s.line_port, s.json_port, s.graphite_port}) {
        line_client client(port);
        client.send(garbage);
        client.finish();
    }
    for (int i = 0; i < 500; ++i) {
        line_client client(s.line_port);
        client.send("cpu v=1\ncpu v");
        client.reset();
    }
    EXPECT_EQ(line_client(s.server.port).post("cpu v=2"), 204);
    EXPECT_LT(s.resident_kib(), before + (40 << 10));
    EXPECT_THAT(s.server.get("/metrics")->body,
                HasSubstr("downtick_ingest_rejected_total{protocol=\"line\",reason=\"line_too_long\""));
}

} // namespace
