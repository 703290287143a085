// downtick bench: what a running server sustains, seen from a client: lines written over HTTP, and questions for the newest rows.

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <thread>

#include <boost/program_options/value_semantic.hpp>
#include <fmt/format.h>

#include "cli/connection.hh"
#include "cli/listing.hh"
#include "cli/option_line.hh"

namespace cli {
namespace {

namespace po = boost::program_options;
using clock = std::chrono::steady_clock;

constexpr unsigned seconds_max = 600;
constexpr unsigned connections_max = 64;
constexpr unsigned lines_per_write = 1000;
constexpr unsigned series_per_connection = 100;
constexpr unsigned writes_per_question = 10;

struct bench_plan {
    connection_options connection;
    unsigned seconds = 10;
    unsigned connections = 4;
};

// What one connection has done.
struct bench_work {
    std::vector<double> write_ms;
    std::vector<double> question_ms;
    std::optional<base::error> trouble;
};

std::string lines_of(unsigned connection) {
    const auto now_ns =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    std::string text;
    for (unsigned i = 0; i < lines_per_write; ++i) {
        text += fmt::format("bench,host=h{},sensor=s{} value={},count={}i {}\n", connection, i % series_per_connection,
                            (i * 37 % 1000) / 10.0, i, now_ns + i);
    }
    return text;
}

// Sends one call and notes how long it took; false ends the work.
bool timed(channel& to, const server_address& server, const call& asked, std::vector<double>& took_ms, bench_work& work) {
    const auto begun = clock::now();
    const auto reply = send(to, server, asked);
    if (!reply || !reply->is_ok()) {
        work.trouble =
            reply ? base::error{base::errc::io_error, fmt::format("the server answers {}: {}", reply->status, reply->body)}
                  : reply.error();
        return false;
    }
    took_ms.push_back(std::chrono::duration<double, std::milli>(clock::now() - begun).count());
    return true;
}

void run_connection(const bench_plan& plan, unsigned number, clock::time_point end, bench_work& work) {
    const auto server = plan.connection.address();
    auto to = server ? channel::open(*server) : std::unexpected(server.error());
    if (!to) {
        work.trouble = to.error();
        return;
    }
    call write{.method = "POST", .path = "/write", .token = plan.connection.token, .keeps_open = true};
    const call question{.path = "/v1/tail?from=family:bench&n=10", .token = plan.connection.token, .keeps_open = true};
    for (unsigned round = 1; clock::now() < end; ++round) {
        write.body = lines_of(number);
        if (!timed(*to, *server, write, work.write_ms, work) ||
            (round % writes_per_question == 0 && !timed(*to, *server, question, work.question_ms, work))) {
            return;
        }
    }
}

double percentile(std::vector<double>& values, double part) {
    if (values.empty()) {
        return 0;
    }
    std::ranges::sort(values);
    return values[std::min(values.size() - 1, static_cast<size_t>(part * static_cast<double>(values.size())))];
}

void print_figures(std::string_view what, std::vector<double> took_ms, double rate, std::string_view unit) {
    fmt::print("{:<10}{:>10.0f} {:<12} p50 {:.2f} ms, p99 {:.2f} ms of {} requests\n", what, rate, unit, percentile(took_ms, 0.5),
               percentile(took_ms, 0.99), took_ms.size());
}

int run_bench(const bench_plan& plan) {
    std::vector<bench_work> works(plan.connections);
    const auto begun = clock::now();
    {
        std::vector<std::jthread> threads;
        for (unsigned i = 0; i < plan.connections; ++i) {
            threads.emplace_back([&, i] { run_connection(plan, i, begun + std::chrono::seconds(plan.seconds), works[i]); });
        }
    }
    const double seconds = std::chrono::duration<double>(clock::now() - begun).count();
    bench_work all;
    for (auto& w : works) {
        std::ranges::copy(w.write_ms, std::back_inserter(all.write_ms));
        std::ranges::copy(w.question_ms, std::back_inserter(all.question_ms));
        all.trouble = all.trouble ? all.trouble : w.trouble;
    }
    const auto writes = static_cast<double>(all.write_ms.size()) * lines_per_write / seconds;
    print_figures("writes", all.write_ms, writes, "lines/s");
    print_figures("newest 10", all.question_ms, static_cast<double>(all.question_ms.size()) / seconds, "questions/s");
    return all.trouble ? complain(*all.trouble) : 0;
}

int print_how_to_drop(const connection_options& connection) {
    const auto tables = read_list(connection, "/v1/tables", "tables");
    if (!tables) {
        return complain(tables.error());
    }
    fmt::print("To drop what it wrote:\n");
    for (const auto& table : *tables) {
        if (has_cell(table, "family", "bench")) {
            fmt::print("  downtick table drop {} --server {}\n", cell_of(table, "name")->text, connection.server);
        }
    }
    return 0;
}

} // namespace

int bench_command(const arguments& args) {
    bench_plan plan;
    option_line line("bench [OPTIONS]",
                     "a small load on a running server: each connection writes lines over HTTP, a thousand a request, into the\n"
                     "family `bench`, and now and then asks for its newest rows");
    line.options().add_options()("seconds", po::value(&plan.seconds)->default_value(plan.seconds)->value_name("N"), "how long")(
        "connections", po::value(&plan.connections)->default_value(plan.connections)->value_name("N"),
        "how many at once")("force", "also when there is a family of that name");
    plan.connection.add_to(line.options());
    if (const auto done = line.parse(args)) {
        return *done;
    }
    if (!line.words().empty() || plan.seconds < 1 || plan.seconds > seconds_max || plan.connections < 1 ||
        plan.connections > connections_max) {
        return line.refuse(
            fmt::format("bench: takes no names, 1 to {} seconds, 1 to {} connections", seconds_max, connections_max));
    }
    const auto families = read_list(plan.connection, "/v1/families", "families");
    if (!families) {
        return complain(families.error());
    }
    if (!line.has("force") &&
        std::ranges::any_of(*families, [](const flat_row& row) { return has_cell(row, "name", "bench"); })) {
        return line.refuse("bench: there is a family 'bench' already; drop its tables, or say --force");
    }
    const int status = run_bench(plan);
    return std::max(status, print_how_to_drop(plan.connection));
}

} // namespace cli
