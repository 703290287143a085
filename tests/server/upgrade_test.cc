// Stores of earlier versions (kept_store.hh), opened by this one: they answer as they did, take more, and are sound.

#include <algorithm>
#include <csignal>
#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lib/source_folder.hh"
#include "tests/lib/temporary_directory.hh"
#include "tests/server/kept_store.hh"
#include "tests/server/line_client.hh"
#include "tests/server/signed_client.hh"

namespace {

using namespace testing_lib;
using ::testing::HasSubstr;
using ::testing::TestWithParam;
namespace fs = std::filesystem;

const std::vector<std::string> two_cores{"--smp", "2", "--memory", "256M"};
const std::vector<std::string> one_core{"--smp", "1", "--memory", "256M"};

std::vector<std::string> kept_stores() {
    std::vector<std::string> names;
    const std::string ending = ".tar.zst";
    for (const auto& entry : fs::directory_iterator(testing_lib::source_folder() + "/tests/server/data")) {
        if (const auto path = entry.path().string(); path.ends_with(ending)) {
            names.push_back(path.substr(0, path.size() - ending.size()));
        }
    }
    std::ranges::sort(names);
    return names;
}

TEST(upgrade, there_are_stores_to_open) {
    EXPECT_FALSE(kept_stores().empty());
}

class kept_store : public TestWithParam<std::string> {
protected:
    kept_store() : answers(parse_answers(read_file(GetParam() + ".answers"))) { unpack(GetParam() + ".tar.zst", data.path()); }

    void expect_answers(const running_server& server) const {
        for (const auto& [asked, answer] : answers) {
            EXPECT_EQ(ask(server, asked), answer) << asked;
        }
    }

    const std::vector<known_answer> answers;
    const temporary_directory data;
};

void end(running_server& server, int signal) {
    server.process.signal(signal);
    ASSERT_EQ(server.process.wait().status, signal == SIGTERM ? 0 : 128 + signal);
}

// A point, an entity and a record: into what is there already, later than all questions.
void write_more(const running_server& server) {
    constexpr auto later_ns = 1'794'484'800'000'000'000; // 2026-11-12T12:00:00Z
    const auto line = fmt::format("weather,city=Wien,path=/var temperature=1.5,count=1i,rain=t,note=\"later\" {}\n", later_ns);
    ASSERT_EQ(line_client(server.port).post(line), 204);
    ASSERT_EQ(signed_client(server.table_port).call("POST", "/Types", R"({"PartitionKey":"later","RowKey":"1","n":7})").status,
              201);
    const auto record = fmt::format(R"({{"time":{},"level":"info","message":"later"}})", later_ns);
    torture::http_connection native(server.port);
    const auto logged = native.send(
        {.method = "POST", .target = "/v1/logs/web", .fields = {{"Content-Type", "application/json"}}, .body = record});
    ASSERT_EQ(logged->status, 204) << logged->body;
}

void expect_more(const running_server& server) {
    EXPECT_THAT(ask(server, "native /v1/tail?from=family:weather&n=1"), HasSubstr("\"note\":\"later\""));
    EXPECT_THAT(ask(server, "table /weather20261112()"), HasSubstr("\"note\":\"later\""));
    EXPECT_THAT(ask(server, "table /Types(PartitionKey='later',RowKey='1')"), HasSubstr("\"n\":7"));
    EXPECT_THAT(ask(server, "native /v1/tail?from=source:web&n=1"), HasSubstr("\"message\":\"later\""));
}

TEST_P(kept_store, answers_as_it_did_and_takes_more) {
    ASSERT_GT(answers.size(), 20u);
    {
        running_server server(data.path(), two_cores);
        expect_answers(server);
        write_more(server);
        expect_more(server);
        end(server, SIGTERM);
    }
    {
        running_server server(data.path(), one_core);
        expect_answers(server);
        expect_more(server);
        end(server, SIGKILL);
    }
    running_server server(data.path(), two_cores);
    expect_answers(server);
    expect_more(server);
    const auto verified = cli::send({"127.0.0.1", server.port}, {.method = "POST", .path = "/v1/scrub"});
    EXPECT_THAT(verified->body, HasSubstr("everything verified"));
}

TEST_P(kept_store, every_file_is_understood_by_inspect) {
    for (const auto& entry : fs::recursive_directory_iterator(data.path())) {
        if (entry.is_regular_file()) {
            const auto result = server_process({"inspect", entry.path().string()}).wait();
            EXPECT_EQ(result.status, 0) << result.output;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(upgrade, kept_store, ::testing::ValuesIn(kept_stores()), [](const auto& info) {
    auto name = fs::path(info.param).filename().string();
    std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
});

} // namespace
