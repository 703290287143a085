// A table of many files is dropped by its owner: at once, for good, and its space comes back. DOWNTICK_BIG=1: one of five
// gigabytes in two hundred files.

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "http/core/percent.hh"
#include "tests/lib/temporary_directory.hh"
#include "tests/server/line_client.hh"
#include "tests/server/server_process.hh"
#include "tests/server/signed_client.hh"

namespace {

using namespace testing_lib;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;
using clock_type = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr uint64_t mb = 1'000'000;
constexpr auto answer_limit = 100ms;
constexpr auto space_limit = 10s;

struct size_of_run {
    uint64_t table_bytes; // in segments, at least
    size_t files_count;   // likewise
    std::chrono::minutes patience;
};

size_of_run chosen_size() {
    if (std::getenv("DOWNTICK_BIG") != nullptr) {
        return {5'000 * mb, 200, 30min};
    }
    return {150 * mb, 16, 2min};
}

// With little memory a round is small, and so are its files.
const std::vector<std::string> little_memory{"--smp", "2", "--memory", "160M"};

std::chrono::milliseconds since(clock_type::time_point start) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(clock_type::now() - start);
}

// --- what the disk has given ----------------------------------------------------------------------------------------------

uint64_t allocated_bytes(const fs::path& file) {
    struct ::stat facts{};
    return ::stat(file.c_str(), &facts) == 0 ? static_cast<uint64_t>(facts.st_blocks) * 512 : 0; // 0: gone meanwhile
}

struct folder_facts {
    size_t files_count = 0;
    uint64_t bytes = 0;
};

folder_facts look_into(const std::string& folder) {
    folder_facts facts;
    std::error_code gone;
    for (fs::recursive_directory_iterator at(folder, gone), end; at != end; at.increment(gone)) {
        if (at->is_regular_file(gone)) {
            ++facts.files_count;
            facts.bytes += allocated_bytes(at->path());
        }
    }
    return facts;
}

// A file without a name takes its space until the last who has it open lets go.
uint64_t nameless_bytes(pid_t pid, const std::string& data) {
    uint64_t bytes = 0;
    std::error_code gone;
    for (const auto& fd : fs::directory_iterator(fmt::format("/proc/{}/fd", pid), gone)) {
        const auto name = fs::read_symlink(fd.path(), gone).string();
        if (name.contains(data) && name.ends_with(" (deleted)")) {
            bytes += allocated_bytes(fd.path());
        }
    }
    return bytes;
}

// --- a large table --------------------------------------------------------------------------------------------------------

// Entities with bytes that do not compress: letters of base64 in any order are what some bytes look like.
class entity_maker {
public:
    entity_maker() {
        constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        std::mt19937_64 random(7);
        _letters.resize(64 << 20);
        for (auto& c : _letters) {
            c = letters[random() & 63];
        }
    }

    // A transaction of a partition of its own.
    std::string transaction(const std::string& table, int number) const {
        std::mt19937_64 random(static_cast<uint64_t>(number));
        std::string body = "--batch_b\r\nContent-Type: multipart/mixed; boundary=changeset_c\r\n\r\n";
        body.reserve(entities_count * (value_letters + 400));
        for (size_t i = 0; i < entities_count; ++i) {
            const auto value = std::string_view(_letters).substr(random() % (_letters.size() - value_letters), value_letters);
            fmt::format_to(std::back_inserter(body),
                           "--changeset_c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n"
                           "POST http://127.0.0.1/devstoreaccount1/{} HTTP/1.1\r\nContent-Type: application/json\r\n"
                           "Prefer: return-no-content\r\n\r\n"
                           R"({{"PartitionKey":"old{:06}","RowKey":"{:03}","v@odata.type":"Edm.Binary","v":"{}"}})"
                           "\r\n",
                           table, number, i, value);
        }
        return body + "--changeset_c--\r\n--batch_b--\r\n";
    }

private:
    static constexpr size_t entities_count = 80;
    static constexpr size_t value_letters = 40'000; // a multiple of four; all entities together stay below 4 MiB

    std::string _letters;
};

int send_transaction(signed_client& tables, const std::string& body) {
    const auto reply = tables.call("POST", "/$batch", body, {{"Content-Type", "multipart/mixed; boundary=batch_b"}});
    constexpr std::string_view begin = "HTTP/1.1 ";
    const auto part = reply.body.find(begin);
    return reply.status != 202 || part == reply.body.npos ? reply.status : std::atoi(reply.body.c_str() + part + begin.size());
}

class dropping : public ::testing::Test {
protected:
    void connect() { tables = std::make_unique<signed_client>(server->table_port); }

    void start() {
        server = nullptr;
        for (int attempt = 0; server == nullptr; ++attempt) {
            try {
                server = std::make_unique<running_server>(data.path(), little_memory);
            } catch (const std::runtime_error& e) {
                // The kernel takes its time to give back the I/O slots of a process that was killed.
                if (attempt == 50 || !std::string(e.what()).contains("aio-max-nr")) {
                    throw;
                }
                std::this_thread::sleep_for(100ms);
            }
        }
        connect();
    }
    void kill_and_start() {
        server->process.signal(SIGKILL);
        server->process.wait();
        start();
    }

    void SetUp() override { start(); }
    void TearDown() override {
        if (HasFailure()) {
            fmt::print("{}\n", server->process.output());
        }
    }

    folder_facts segments() const { return look_into(data.path() + "/segments"); }
    // But for the logs: their files are made ahead at their full size, and used again.
    uint64_t taken_bytes() const {
        return look_into(data.path()).bytes - look_into(data.path() + "/log").bytes +
               nameless_bytes(server->process.pid(), data.path());
    }

    // Two writers, until the table is as large as it should be. False when one was refused for good.
    bool fill(const std::string& table, const size_of_run& size) {
        const entity_maker entities;
        const auto end = clock_type::now() + size.patience;
        std::atomic<int> next = 0;
        std::atomic<bool> is_over = false;
        const auto write = [&] {
            signed_client client(server->table_port);
            while (!is_over) {
                const auto body = entities.transaction(table, next++);
                int status = 503;
                while (status == 503) {
                    status = send_transaction(client, body);
                }
                EXPECT_EQ(status, 204);
                const auto now = segments();
                is_over = is_over || status != 204 || (now.bytes >= size.table_bytes && now.files_count >= size.files_count) ||
                          clock_type::now() > end;
            }
        };
        std::thread other(write);
        write();
        other.join();
        return !HasFailure();
    }

    // All of them, whatever the partition; a page at most.
    std::string rows_of(const std::string& table, const std::string& more = "") {
        return tables->call("GET", fmt::format("/{}()?$select=PartitionKey,RowKey{}", table, more)).body;
    }
    // What the reader of a first page asks for next.
    std::string next_page_of(const std::string& table) {
        const auto page = tables->call("GET", fmt::format("/{}()?$select=PartitionKey,RowKey&$top=3", table));
        return fmt::format("&NextPartitionKey={}&NextRowKey={}",
                           http::percent_encode(page.field("x-ms-continuation-NextPartitionKey")),
                           http::percent_encode(page.field("x-ms-continuation-NextRowKey")));
    }

    // Until next to no more is taken than before.
    std::chrono::milliseconds wait_for_space(uint64_t taken_before) const {
        const auto start = clock_type::now();
        while (taken_bytes() > taken_before + mb && since(start) < 2 * space_limit) {
            std::this_thread::sleep_for(5ms);
        }
        return since(start);
    }

    const temporary_directory data;
    std::unique_ptr<running_server> server;
    std::unique_ptr<signed_client> tables;
};

constexpr auto heap = R"({"TableName":"Heap"})";
constexpr auto no_rows = R"("value":[])";

TEST_F(dropping, a_table_of_many_files_takes_a_moment_and_nothing_of_it_comes_back) {
    const auto size = chosen_size();
    ASSERT_EQ(tables->call("POST", "/Tables", heap).status, 201);
    const auto taken_before = taken_bytes();
    ASSERT_TRUE(fill("Heap", size));
    connect(); // the server has closed a connection that was idle for so long
    const auto in_memory = R"({"PartitionKey":"old","RowKey":"in memory and in the log only"})";
    ASSERT_EQ(tables->call("POST", "/Heap", in_memory).status, 201);
    const auto next_page = next_page_of("Heap");
    ASSERT_THAT(rows_of("Heap", next_page), HasSubstr("old"));
    const auto full = segments();
    const auto taken_full = taken_bytes();
    ASSERT_GE(full.bytes, size.table_bytes);
    ASSERT_GE(full.files_count, size.files_count);

    const auto start = clock_type::now();
    const auto dropped = tables->call("DELETE", "/Tables('Heap')");
    const auto drop_took = since(start);
    const auto created = tables->call("POST", "/Tables", heap);
    const auto both_took = since(start);
    EXPECT_EQ(dropped.status, 204) << dropped.body;
    EXPECT_EQ(created.status, 201) << created.body;
    EXPECT_LT(drop_took, answer_limit);
    EXPECT_LT(both_took, 2 * answer_limit);
    EXPECT_THAT(rows_of("Heap"), HasSubstr(no_rows));
    EXPECT_THAT(rows_of("Heap", next_page), HasSubstr(no_rows)) << "to who was reading the old one";
    const auto space_took = wait_for_space(taken_before);
    EXPECT_LT(space_took, space_limit);
    fmt::print("{} MB in {} files: dropped in {} ms, and made again in {} ms, {} of {} MB back in {} ms\n", full.bytes / mb,
               full.files_count, drop_took.count(), both_took.count(), (taken_full - taken_bytes()) / mb,
               (taken_full - taken_before) / mb, space_took.count());

    ASSERT_EQ(tables->call("POST", "/Heap", R"({"PartitionKey":"new","RowKey":"1"})").status, 201);
    for (int round = 0; round < 2; ++round) {
        kill_and_start();
        EXPECT_THAT(rows_of("Heap"), HasSubstr(R"("value":[{"PartitionKey":"new","RowKey":"1"}])")) << "after kill " << round;
        EXPECT_EQ(tables->call("GET", "/Heap(PartitionKey='old000000',RowKey='000')").status, 404);
        EXPECT_LE(segments().bytes, mb);
    }
}

std::string table_of_today(const std::string& family) {
    const auto now = std::time(nullptr);
    ::tm parts{};
    ::gmtime_r(&now, &parts);
    return fmt::format("{}{:04}{:02}{:02}", family, parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

TEST_F(dropping, by_the_command_takes_a_day_of_a_family_which_begins_anew) {
    const auto table = table_of_today("cpu");
    ASSERT_EQ(line_client(server->port).post("cpu,host=a old=1i\ncpu,host=b old=2i\n"), 204);
    if (table != table_of_today("cpu")) {
        GTEST_SKIP() << "it was midnight";
    }
    kill_and_start(); // puts what it finds in the log into files
    ASSERT_EQ(line_client(server->port).post("cpu,host=c old=3i\n"), 204);
    const auto url = fmt::format("http://127.0.0.1:{}", server->port);
    const auto done = server_process({"table", "drop", table, "--server", url}).wait();
    EXPECT_EQ(done.status, 0) << done.output;
    EXPECT_LT(done.took, answer_limit + 400ms) << "with the start of a process";
    EXPECT_EQ(server->get("/v1/tail?from=family:cpu")->status, 404);
    ASSERT_EQ(line_client(server->port).post("cpu,host=a new=1i\n"), 204);
    for (int round = 0; round < 2; ++round) {
        const auto rows = server->get("/v1/tail?from=family:cpu&n=10")->body;
        EXPECT_THAT(rows, HasSubstr("\"new\":1")) << rows;
        EXPECT_THAT(rows, Not(HasSubstr("\"old\""))) << rows;
        kill_and_start();
    }
}

} // namespace
