// The whole server under mixed load and faults, judged by an oracle outside of it:
//
//   torture [--seconds N] [--seed S]
//
// Prints what was done and found; the status says whether a promise was broken.

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string_view>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "tests/lib/temporary_directory.hh"
#include "tests/torture/counter_load.hh"
#include "tests/torture/entity_load.hh"
#include "tests/torture/full_disk.hh"
#include "tests/torture/http_stream_load.hh"
#include "tests/torture/intruder_load.hh"
#include "tests/torture/memory_group.hh"
#include "tests/torture/retention_load.hh"
#include "tests/torture/round.hh"
#include "tests/torture/snapshot_load.hh"
#include "tests/torture/tcp_stream_load.hh"

namespace {

using namespace torture;
using clock_type = std::chrono::steady_clock;

constexpr unsigned small_disk_mib = 400;
constexpr unsigned entity_writers_count = 3;
constexpr unsigned counting_clients_count = 3;

struct settings {
    std::chrono::seconds length{120};
    uint64_t seed = std::random_device()();
};

settings parse(int argc, char** argv) {
    settings s;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view option = argv[i];
        const auto value = std::strtoull(argv[i + 1], nullptr, 10);
        if (option == "--seconds") {
            s.length = std::chrono::seconds(value);
        } else if (option == "--seed") {
            s.seed = value;
        } else {
            fmt::print(stderr, "torture: unknown option {}\n", option);
            std::exit(2);
        }
    }
    return s;
}

workloads make_workloads(const std::string& place, verdict& v) {
    using kind = stream_place::kind;
    const auto begin = stream_begin_ns();
    workloads all;
    all.push_back(std::make_unique<http_stream_load>(stream_place{kind::family, "posted", begin}, v));
    all.push_back(std::make_unique<tcp_stream_load>(stream_place{kind::family, "streamed", begin}, v));
    all.push_back(std::make_unique<http_stream_load>(stream_place{kind::source, "weblog", begin}, v));
    all.push_back(std::make_unique<tcp_stream_load>(stream_place{kind::source, "syslog", begin}, v));
    for (unsigned i = 0; i < entity_writers_count; ++i) {
        all.push_back(std::make_unique<entity_load>(i, v));
    }
    all.push_back(std::make_unique<counter_load>(counting_clients_count));
    all.push_back(std::make_unique<retention_load>(v));
    all.push_back(std::make_unique<snapshot_load>(place + "/snapshot"));
    all.push_back(std::make_unique<intruder_load>());
    return all;
}

void print_summary(const verdict& v, const workloads& all, unsigned rounds, std::chrono::milliseconds loaded) {
    fmt::print("\nrounds: {}\nfaults:", rounds);
    for (const auto& [kind, count] : v.faults()) {
        fmt::print(" {} {},", kind, count);
    }
    std::map<std::string, uint64_t> acknowledged;
    for (const auto& w : all) {
        acknowledged[w->name()] += w->acknowledged_count();
    }
    const auto seconds = std::chrono::duration<double>(loaded).count();
    fmt::print("\nacknowledged in {:.0f} s of load:\n", seconds);
    for (const auto& [name, count] : acknowledged) {
        fmt::print("  {:<20} {:>10}  {:>8.0f}/s\n", name, count, static_cast<double>(count) / seconds);
    }
    fmt::print("violations: {}\n", v.violations_count());
}

} // namespace

int main(int argc, char** argv) {
    const auto options = parse(argc, argv);
    fmt::print("seed {}, {}\n", options.seed, options.length);
    verdict found;
    const testing_lib::temporary_directory place;
    // First of all, while there is one thread: the mount is for this process alone.
    const auto disk = small_disk::mount(place.path() + "/small", small_disk_mib, found);
    wall_clock clock(place.path() + "/clock", DOWNTICK_SHIFTED_CLOCK);
    auto all = make_workloads(place.path(), found);
    subject under_test(place.path() + "/data", clock, found);
    schedule plans(options.seed);
    const auto end = clock_type::now() + options.length;
    unsigned rounds = 0;
    std::chrono::milliseconds loaded{};
    bool can_go_on = true;
    while (can_go_on && clock_type::now() < end) {
        const auto plan = plans.next();
        fmt::print("round {}: {}\n", rounds, plan.describe());
        std::fflush(stdout);
        found.begin_round();
        can_go_on = run_round(under_test, all, plan, found);
        if (plan.has_full_disk && disk) {
            run_full_disk(*disk, clock, found);
        }
        loaded += plan.load;
        ++rounds;
    }
    if (can_go_on) {
        verify_all(under_test, all);
    }
    remove_memory_group();
    print_summary(found, all, rounds, loaded);
    if (found.violations_count() > 0) {
        fmt::print("the same schedule again: ./dev torture --seed {}\n", options.seed);
    }
    return found.violations_count() == 0 ? 0 : 1;
}
