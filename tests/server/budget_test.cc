// Questions over everything there is, on a server with little memory for questions: they are answered page by page, or refused
// with a sentence; the server lives and goes on taking points. DOWNTICK_BIG=1: over several gigabytes, with 64 MB for a question,
// and points must come in at 70 % of their rate.

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/lib/temporary_directory.hh"
#include "tests/server/line_client.hh"
#include "tests/server/server_process.hh"

namespace {

using namespace testing_lib;
using ::testing::AnyOf;
using ::testing::Eq;
using ::testing::HasSubstr;
using clock_type = std::chrono::steady_clock;

constexpr int64_t time_ns = 1'793'577'600'000'000'000; // 2026-11-02
constexpr int hosts = 500;
constexpr int rows_per_batch = 5'000;

struct size_of_run {
    std::vector<std::string> options;
    int batches;               // written before anything is asked
    std::chrono::seconds look; // how long each rate is measured
};

size_of_run chosen_size() {
    if (std::getenv("DOWNTICK_BIG") != nullptr) {
        return {{"--smp", "2", "--memory", "1G"}, 12'000, std::chrono::seconds(20)};
    }
    return {{"--smp", "1", "--memory", "128M"}, 80, std::chrono::seconds(2)};
}

// Texts that do not compress to nothing.
std::string batch(int number) {
    std::string lines;
    for (int i = 0; i < rows_per_batch; ++i) {
        const int64_t row = int64_t{number} * rows_per_batch + i;
        const auto noise = static_cast<uint64_t>(row + 1) * 0x9e3779b97f4a7c15;
        lines += fmt::format("load,host=h{:03} a={},b={},note=\"{:016x} {:016x} {:016x}\" {}\n", row % hosts,
                             static_cast<double>(noise >> 12) / 1e6, noise % 1'000'003, noise, noise * 31, noise * 37,
                             time_ns + row * 1'000'000);
    }
    return lines;
}

class heavy_questions : public ::testing::Test {
protected:
    // Batches a second, from `next` on.
    double write_for(std::chrono::seconds time, int& next) {
        line_client client(server.port);
        const int first = next;
        const auto begin = clock_type::now();
        while (clock_type::now() - begin < time) {
            const int status = client.post(batch(next));
            EXPECT_THAT(status, AnyOf(Eq(204), Eq(503)));
            next += status == 204 ? 1 : 0;
        }
        return (next - first) / std::chrono::duration<double>(clock_type::now() - begin).count();
    }

    static cli::response ask(uint16_t port, const std::string& path) {
        auto reply = cli::send({"127.0.0.1", port}, {.path = path, .accept = "application/x-ndjson"});
        return reply ? *reply : cli::response{};
    }

    // Over and over, until told to stop. How many were answered, how many refused.
    void ask_on(const std::string& path, std::atomic<bool>& is_over) {
        while (!is_over) {
            const auto reply = ask(server.port, path);
            if (reply.status == 200) {
                ++answered;
                continue;
            }
            ++refused;
            EXPECT_THAT(reply.status, AnyOf(Eq(422), Eq(503))) << path << reply.body;
            EXPECT_THAT(reply.body, AnyOf(HasSubstr("over_budget"), HasSubstr("busy"))) << path;
        }
    }

    void TearDown() override {
        if (HasFailure()) {
            fmt::print("{}\n", server.process.output());
        }
    }

    const size_of_run size = chosen_size();
    const temporary_directory data;
    running_server server{data.path(), size.options};
    std::atomic<int> answered = 0;
    std::atomic<int> refused = 0;
};

TEST_F(heavy_questions, are_paged_or_refused_and_writing_goes_on) {
    line_client client(server.port);
    int next = 0;
    while (next < size.batches) {
        const int status = client.post(batch(next));
        ASSERT_THAT(status, AnyOf(Eq(204), Eq(503)));
        next += status == 204 ? 1 : 0;
    }
    const double alone = write_for(size.look, next);
    std::atomic<bool> is_over = false;
    std::vector<std::thread> clients;
    for (const auto* path : {"/v1/range?from=*&limit=100000", "/v1/tail?from=load&n=100000",
                             "/v1/range?from=load&agg=p99(a),p50(b),stddev(a)&by=host&every=1s&limit=100000",
                             "/v1/range?from=load&where=contains(note,'ffff')&limit=100000"}) {
        clients.emplace_back([this, path, &is_over] { ask_on(path, is_over); });
    }
    const double beside = write_for(size.look, next);
    is_over = true;
    for (auto& c : clients) {
        c.join();
    }
    fmt::print("{} rows, {:.0f} rows/s alone, {:.0f} beside questions ({:.0f} %), {} answered, {} refused\n",
               int64_t{next} * rows_per_batch, alone * rows_per_batch, beside * rows_per_batch, 100 * beside / alone,
               answered.load(), refused.load());
    EXPECT_GT(answered + refused, 0);
    EXPECT_GT(beside, alone * (std::getenv("DOWNTICK_BIG") != nullptr ? 0.7 : 0.5));
    EXPECT_TRUE(server.process.is_running());
    const auto last = ask(server.port, "/v1/tail?from=load&n=1");
    EXPECT_EQ(last.status, 200) << last.body;
    EXPECT_THAT(last.body, HasSubstr("\"note\""));
}

TEST_F(heavy_questions, a_question_over_everything_is_read_to_its_end_page_by_page) {
    if (std::getenv("DOWNTICK_BIG") != nullptr) {
        GTEST_SKIP() << "takes too long";
    }
    line_client client(server.port);
    constexpr int batches = 12;
    for (int i = 0; i < batches; ++i) {
        ASSERT_EQ(client.post(batch(i)), 204);
    }
    size_t rows = 0;
    std::string cursor;
    do {
        const auto page = ask(server.port, "/v1/range?from=load&limit=7000" + (cursor.empty() ? "" : "&cursor=" + cursor));
        ASSERT_EQ(page.status, 200) << page.body;
        rows += static_cast<size_t>(std::ranges::count(page.body, '\n'));
        const auto more = page.headers.find("x-downtick-cursor");
        cursor = more == page.headers.end() ? "" : more->second;
    } while (!cursor.empty());
    EXPECT_EQ(rows, size_t{batches} * rows_per_batch);
}

} // namespace
