// Snapshots of a running server, opened by another one.

#include <atomic>
#include <csignal>
#include <filesystem>
#include <set>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "tests/lib/temporary_directory.hh"
#include "tests/server/server_process.hh"

namespace {

using namespace testing_lib;
using ::testing::HasSubstr;

constexpr int64_t time_ns = 1'700'000'000'000'000'000; // 2023-11-14

int post(const running_server& server, const std::string& path, const std::string& body) {
    const auto reply = cli::send({"127.0.0.1", server.port}, {.method = "POST", .path = path, .body = body});
    return reply ? reply->status : 0;
}

base::expected<cli::response> snapshot(const running_server& server, const std::string& directory) {
    return cli::send({"127.0.0.1", server.port}, {.method = "POST", .path = "/v1/snapshot?dir=" + directory});
}

// One point and one record for each number; stops when the server does not take one.
class writer {
public:
    explicit writer(const running_server& server) : _thread([this, &server] { run(server); }) {}
    ~writer() { stop(); }
    void stop() {
        _is_over = true;
        if (_thread.joinable()) {
            _thread.join();
        }
    }
    int acknowledged() const { return _acknowledged; }
    void wait_for(int number) const {
        while (_acknowledged < number && !_has_failed) {
            std::this_thread::yield();
        }
        ASSERT_FALSE(_has_failed);
    }

private:
    void run(const running_server& server) {
        for (int i = 0; !_is_over; ++i) {
            if (post(server, "/write", fmt::format("cpu,host=h{} number={}i {}\n", i % 5, i, time_ns + i)) != 204 ||
                post(server, "/v1/logs/web", fmt::format("number={} of many\n", i)) != 204) {
                _has_failed = true;
                return;
            }
            _acknowledged = i;
        }
    }

    std::atomic<bool> _is_over = false, _has_failed = false;
    std::atomic<int> _acknowledged = -1;
    std::thread _thread;
};

std::set<int64_t> numbers_of(const running_server& server) {
    std::set<int64_t> numbers;
    const auto reply =
        cli::send({"127.0.0.1", server.port}, {.path = "/v1/tail?from=cpu&n=100000", .accept = "application/x-ndjson"});
    if (!reply) {
        return numbers;
    }
    simdjson::dom::parser parser;
    std::istringstream lines(reply->body);
    for (std::string line; std::getline(lines, line);) {
        int64_t number = -1;
        if (parser.parse(line)["fields"]["number"].get(number) == simdjson::SUCCESS) {
            numbers.insert(number);
        }
    }
    return numbers;
}

void expect_all(const running_server& server, int acknowledged) {
    const auto numbers = numbers_of(server);
    const auto records = server.get("/v1/tail?from=web&n=100000");
    ASSERT_TRUE(records);
    for (int i = 0; i <= acknowledged; ++i) {
        ASSERT_TRUE(numbers.contains(i)) << i << " of " << acknowledged;
        ASSERT_TRUE(records->body.contains(fmt::format("number={} of many", i))) << i;
    }
}

TEST(snapshot, has_every_row_and_record_acknowledged_before_it_while_writing_goes_on) {
    const temporary_directory place;
    int first = 0, second = 0;
    {
        running_server server(place.path() + "/data");
        writer load(server);
        load.wait_for(20);
        load.stop();
        server.process.signal(SIGTERM);
        server.process.wait();
    }
    {
        running_server server(place.path() + "/data"); // puts what it finds in the log into files
        writer load(server);
        load.wait_for(60);
        first = load.acknowledged();
        const auto taken = snapshot(server, place.path() + "/one");
        ASSERT_TRUE(taken);
        ASSERT_EQ(taken->status, 200) << taken->body;
        load.wait_for(first + 30);
        second = load.acknowledged();
        ASSERT_EQ(snapshot(server, place.path() + "/two")->status, 200);
        load.stop();
        expect_all(server, load.acknowledged());
    }
    {
        running_server copy(place.path() + "/one");
        expect_all(copy, first);
        EXPECT_EQ(post(copy, "/write", fmt::format("cpu,host=new number=-1i {}\n", time_ns)), 204);
        ASSERT_EQ(snapshot(copy, place.path() + "/of-one")->status, 200);
    }
    expect_all(running_server(place.path() + "/two"), second);
    running_server copy_of_copy(place.path() + "/of-one", {"--smp", "1", "--memory", "256M"});
    expect_all(copy_of_copy, first);
    EXPECT_TRUE(numbers_of(copy_of_copy).contains(-1));
}

// Where a supervisor lets the server write nowhere else.
TEST(snapshot, may_be_inside_of_the_data_directory) {
    const temporary_directory place;
    const auto data = place.path() + "/data";
    {
        running_server server(data);
        ASSERT_EQ(post(server, "/write", fmt::format("cpu,host=new number=-1i {}\n", time_ns)), 204);
        ASSERT_EQ(snapshot(server, data + "/monday")->status, 200);
    }
    {
        running_server server(data);
        EXPECT_TRUE(numbers_of(server).contains(-1));
        ASSERT_EQ(snapshot(server, data + "/tuesday")->status, 200);
    }
    EXPECT_FALSE(std::filesystem::exists(data + "/tuesday/monday"));
    EXPECT_TRUE(numbers_of(running_server(data + "/monday")).contains(-1));
}

TEST(snapshot, is_refused_where_it_cannot_be) {
    const temporary_directory place;
    running_server server(place.path() + "/data");
    const auto why_not = [&server](const std::string& directory) {
        const auto reply = snapshot(server, directory);
        EXPECT_EQ(reply->status, 400) << directory;
        return reply->body;
    };
    EXPECT_THAT(why_not(""), HasSubstr("say where"));
    EXPECT_THAT(why_not("relative/path"), HasSubstr("not an absolute path"));
    EXPECT_THAT(why_not(place.path()), HasSubstr("not empty"));
    EXPECT_THAT(why_not(place.path() + "/nobody/here"), HasSubstr("No such file"));
    EXPECT_THAT(why_not(place.path() + "/data/segments"), HasSubstr("folder of a data directory"));
    EXPECT_THAT(why_not("/proc/downtick"), HasSubstr("another file system"));
    EXPECT_FALSE(std::filesystem::exists(place.path() + "/data/snapshot.unfinished"));
}

TEST(snapshot, the_command_says_how_to_open_it) {
    const temporary_directory place;
    running_server server(place.path() + "/data");
    const auto url = "http://127.0.0.1:" + std::to_string(server.port);
    const auto directory = place.path() + "/copy";
    auto done = server_process({"snapshot", directory, "--server", url}).wait();
    EXPECT_EQ(done.status, 0) << done.output;
    EXPECT_THAT(done.output, HasSubstr("downtick serve --data " + directory));
    EXPECT_EQ(server_process({"snapshot", directory, "--server", url}).wait().status, 1) << "is there now";
    EXPECT_EQ(server_process({"snapshot"}).wait().status, 2);
    EXPECT_EQ(server_process({"snapshot", "--help"}).wait().status, 0);
}

} // namespace
