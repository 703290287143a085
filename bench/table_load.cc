// The Table service under load: signed requests over 64 keep-alive connections, entities of 1 KB.
//
//   table_load PORT SECONDS plain   inserts over many partitions and on one, transactions of 100, gets, newest 10
//   table_load PORT SECONDS hot     one partition that ten times as much is sent to as it can take, beside others at a pace
//
// One line of JSON for each.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>

#include "bench/http_client.hh"
#include "bench/load_loop.hh"
#include "bench/table_requests.hh"

namespace {

using bench::load_group;
using bench::table_requests;

constexpr unsigned connections_count = 64;
constexpr unsigned partitions_count = 1'000;
constexpr unsigned transaction_entities = 100;
constexpr unsigned read_partitions = 100;
// Enough for a partition's best; and so many that they are never all waiting while refusals come quickly.
constexpr unsigned peak_connections = 128;
constexpr unsigned overload_connections = 1'000;
constexpr double overload = 10;
// Of the others beside a hot partition: a light load, so that what they see is the hot one and not themselves.
constexpr unsigned others_connections = 64;
constexpr double others_per_second = 500;

std::string partition_name(uint64_t i) {
    return fmt::format("partition{:04}", i % partitions_count);
}

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

void create(uint16_t port, table_requests& requests) {
    bench::http_client client(port);
    const auto reply = client.exchange(requests.create_table());
    if (reply.status != 201 && reply.status != 204) {
        fmt::print(stderr, "bench: no table: {} {}\n", reply.status, reply.body);
        std::exit(1);
    }
}

void print(std::string_view what, load_group& g, unsigned entities, double cpu) {
    fmt::print("{{\"what\":\"{}\",\"per_second\":{:.0f},\"offered_per_second\":{:.0f},\"p50_ms\":{:.3f},\"p99_ms\":{:.3f},"
               "\"done\":{},\"refused\":{},\"failed\":{},\"lost\":{},\"loader_cpu_s\":{:.2f}}}\n",
               what, static_cast<double>(g.done * entities) / g.seconds,
               static_cast<double>((g.done + g.refused + g.failed) * entities) / g.seconds, g.took.at(0.5), g.took.at(0.99),
               g.done, g.refused, g.failed, g.lost, cpu);
    std::fflush(stdout);
}

load_group run(uint16_t port, std::string_view what, load_group group, double seconds, unsigned entities = 1) {
    std::vector<load_group> groups{std::move(group)};
    const double before = cpu_seconds();
    bench::run_load(port, groups, seconds);
    print(what, groups[0], entities, cpu_seconds() - before);
    return std::move(groups[0]);
}

load_group inserts(table_requests& requests, uint64_t& number, unsigned connections, bool is_one_partition) {
    return {connections,
            [&requests, &number, is_one_partition](std::string& out) {
                requests.insert(out, is_one_partition ? "hot" : partition_name(number), number);
                ++number;
            },
            204};
}

void measure_writes(uint16_t port, double seconds) {
    uint64_t number = 0;
    table_requests singles("Singles");
    create(port, singles);
    run(port, "single inserts, many partitions", inserts(singles, number, connections_count, false), seconds);
    run(port, "single inserts, one partition", inserts(singles, number, connections_count, true), seconds);

    table_requests batches("Batches");
    create(port, batches);
    const auto write = [&](std::string& out) {
        batches.insert_many(out, partition_name(number / transaction_entities), number, transaction_entities);
        number += transaction_entities;
    };
    number = 0;
    run(port, "transactions of 100", {connections_count, write, 202}, seconds, transaction_entities);
}

// A table of its own, the same for each server: a hundred entities in each of a hundred partitions.
void measure_reads(uint16_t port, double seconds) {
    table_requests reads("Reads");
    create(port, reads);
    bench::http_client client(port);
    for (unsigned p = 0; p < read_partitions; ++p) {
        std::string request;
        reads.insert_many(request, partition_name(p), uint64_t{p} * transaction_entities, transaction_entities);
        if (client.exchange(request).status != 202) {
            fmt::print(stderr, "bench: the table for reads was not taken\n");
            std::exit(1);
        }
    }
    std::mt19937_64 random(1);
    const auto get = [&](std::string& out) {
        const auto number = random() % (read_partitions * transaction_entities);
        reads.get(out, partition_name(number / transaction_entities), number);
    };
    run(port, "gets", {connections_count, get, 200}, seconds);
    const auto newest = [&](std::string& out) { reads.newest(out, partition_name(random() % read_partitions), 10); };
    run(port, "newest 10", {connections_count, newest, 200}, seconds);
}

// Those who overload a partition run when nobody else here wants to, so that the others' times are the server's and not theirs.
void step_back() {
    const sched_param none{};
    ::sched_setscheduler(0, SCHED_IDLE, &none);
}

void measure_hot(uint16_t port, double seconds) {
    uint64_t number = 0, hot_number = 1ull << 40;
    table_requests requests("Hot"), hot_requests("Hot");
    create(port, requests);
    auto others = inserts(requests, number, others_connections, false);
    others.requests_per_second = others_per_second;
    run(port, "other partitions alone", others, seconds);
    const auto peak = run(port, "one partition, its peak", inserts(hot_requests, hot_number, peak_connections, true), seconds);

    std::vector<load_group> hot{inserts(hot_requests, hot_number, overload_connections, true)};
    hot[0].requests_per_second = overload * static_cast<double>(peak.done) / peak.seconds;
    const double before = cpu_seconds();
    std::thread senders([&] {
        step_back();
        bench::run_load(port, hot, seconds);
    });
    std::vector<load_group> beside{others};
    bench::run_load(port, beside, seconds);
    senders.join();
    const double cpu = cpu_seconds() - before;
    print("one partition, overloaded", hot[0], 1, cpu);
    print("other partitions beside it", beside[0], 1, 0);
}

} // namespace

int main(int argc, char** argv) {
    const bool is_hot = argc == 4 && std::strcmp(argv[3], "hot") == 0;
    if (argc != 4 || (!is_hot && std::strcmp(argv[3], "plain") != 0)) {
        std::fprintf(stderr, "usage: table_load PORT SECONDS plain|hot\n");
        return 2;
    }
    const ::rlimit files{8'192, 8'192};
    ::setrlimit(RLIMIT_NOFILE, &files);
    const auto port = static_cast<uint16_t>(std::atoi(argv[1]));
    const double seconds = std::atof(argv[2]);
    if (is_hot) {
        measure_hot(port, seconds);
    } else {
        measure_writes(port, seconds);
        measure_reads(port, seconds);
    }
}
