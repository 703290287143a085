#include "tests/torture/round.hh"

#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include "tests/torture/damaged_block.hh"
#include "tests/torture/table_client.hh"

namespace torture {
namespace {

constexpr auto watch_interval = std::chrono::milliseconds(20);

size_t verify(subject& s, workloads& all, depth how, damage expected) {
    size_t errors = 0;
    for (auto& w : all) {
        errors += w->verify(s.at(), how, expected);
    }
    return errors;
}

// Pauses and clock steps at their times, memory all the time.
void disturb(subject& s, const round_plan& plan, verdict& v) {
    using clock = std::chrono::steady_clock;
    const auto begin = clock::now();
    auto pauses = plan.pauses;
    std::ranges::sort(pauses, std::greater(), &round_plan::pause::at);
    bool is_step_due = plan.step.has_value();
    while (clock::now() - begin < plan.load) {
        if (!pauses.empty() && clock::now() - begin >= pauses.back().at) {
            s.pause(pauses.back().length);
            pauses.pop_back();
            v.count_fault("pause");
        }
        if (is_step_due && clock::now() - begin >= plan.step->at) {
            s.at().clock.set(plan.step->by);
            is_step_due = false;
            v.count_fault("clock step");
        }
        s.check_memory();
        std::this_thread::sleep_for(watch_interval);
    }
}

void load(subject& s, workloads& all, const round_plan& plan, verdict& v) {
    std::vector<std::thread> threads;
    s.at().is_to_be_killed = plan.is_killed;
    for (size_t i = 0; i < all.size(); ++i) {
        threads.emplace_back([&s, w = all[i].get(), seed = plan.seed + i] {
            std::mt19937_64 random(seed);
            w->run(s.at(), random);
        });
    }
    disturb(s, plan, v);
    s.at().is_over = true;
    if (plan.is_killed) {
        s.kill();
        v.count_fault("kill -9");
    }
    for (auto& t : threads) {
        t.join();
    }
    if (!plan.is_killed) {
        s.end();
        v.count_fault("orderly end");
    }
    s.at().clock.set(std::chrono::seconds(0));
}

// What has nothing to do with the damage must go on.
void check_the_rest_works(subject& s, const damaged_block& where, verdict& v) {
    table_client client(s.at().table_port, s.at().clock);
    const std::string name = "Undamaged";
    const table_change put{table_change::kind::write, {{verb::insert, "p", "r", {{"x", "1"}}}}};
    for (const auto& change : {table_change{table_change::kind::create}, put, table_change{table_change::kind::drop}}) {
        if (const int status = client.change(name, change); status != 204) {
            v.violated("P3", fmt::format("with {} damaged, a new table answers {}", where.describe(), status));
        }
    }
}

bool damage_and_look(subject& s, workloads& all, const round_plan& plan, verdict& v) {
    std::mt19937_64 random(plan.seed);
    const auto where = damaged_block::in(s.data(), random);
    if (!where) {
        return true;
    }
    v.count_fault("flipped byte");
    if (!s.start({.shards = plan.shards})) {
        v.violated("P4", "damaged: " + where->describe());
        return false;
    }
    const auto before = v.violations_count();
    const auto errors = verify(s, all, depth::all, damage::expected);
    check_the_rest_works(s, *where, v);
    if (v.violations_count() != before) {
        fmt::print("  (damaged: {})\n", where->describe());
    }
    fmt::print("  {} damaged: {} reads were errors\n", where->describe(), errors);
    s.kill();
    where->mend();
    return true;
}

} // namespace

bool run_round(subject& s, workloads& all, const round_plan& plan, verdict& v) {
    const start_options options{.shards = plan.shards, .in_cgroup = plan.in_cgroup};
    if (plan.killed_in_start) {
        s.start_and_kill(options, *plan.killed_in_start);
        v.count_fault("kill -9 while starting");
    }
    if (!s.start(options)) {
        return false;
    }
    const auto before = v.violations_count();
    verify(s, all, depth::recent, damage::none);
    load(s, all, plan, v);
    if (v.violations_count() != before) {
        fmt::print("the server's last complaints:\n{}\n", s.complaints());
    }
    return !plan.has_damage || damage_and_look(s, all, plan, v);
}

bool verify_all(subject& s, workloads& all) {
    if (!s.start({.shards = 2})) {
        return false;
    }
    verify(s, all, depth::all, damage::none);
    s.end();
    return true;
}

} // namespace torture
