#include "tests/torture/schedule.hh"

#include <array>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace torture {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

// Within what a signature's age may be, beyond it, and far enough to make this month's tables look expired.
constexpr std::array<std::chrono::seconds, 5> steps{minutes(10), -minutes(10), hours(3), -hours(3), hours(24 * 90)};
// Full disks and damaged blocks take longer than a round.
constexpr unsigned full_disk_every = 6;
constexpr unsigned damage_every = 4;
// Longer than retention takes to look at the clock.
constexpr std::chrono::milliseconds load_after_far_step{12'000};
constexpr unsigned far_step_every = 10;

} // namespace

std::chrono::milliseconds schedule::between(unsigned low, unsigned high) {
    return std::chrono::milliseconds(low + _random() % (high - low));
}

round_plan schedule::next() {
    const auto number = _rounds_count++;
    round_plan plan;
    plan.shards = 1 + static_cast<unsigned>(_random() % 2);
    plan.in_cgroup = one_in(2);
    plan.load = between(800, 3'000);
    for (auto count = _random() % 3; count > 0; --count) {
        plan.pauses.push_back({between(0, static_cast<unsigned>(plan.load.count())), between(50, 700)});
    }
    if (one_in(3)) {
        plan.step = {between(0, static_cast<unsigned>(plan.load.count() / 2)), steps[_random() % steps.size()]};
    }
    plan.is_killed = !one_in(4);
    if (one_in(5)) {
        plan.killed_in_start = between(10, 600);
    }
    plan.has_damage = number % damage_every == damage_every / 2;
    plan.has_full_disk = number % full_disk_every == 1;
    if (number % far_step_every == far_step_every - 1) {
        plan.step = {between(0, 500), steps.back()};
        plan.load = load_after_far_step;
    }
    plan.seed = _random();
    return plan;
}

std::string round_plan::describe() const {
    auto text = fmt::format("{} shard(s){}, {} of load", shards, in_cgroup ? " in a control group" : "", load);
    for (const auto& p : pauses) {
        text += fmt::format(", paused for {}", p.length);
    }
    if (step) {
        text += fmt::format(", clock moved by {}", step->by);
    }
    text += is_killed ? ", killed" : ", ended";
    if (killed_in_start) {
        text += fmt::format(", killed {} after the next start", *killed_in_start);
    }
    text += has_damage ? ", a byte flipped" : "";
    return text + (has_full_disk ? ", a full disk" : "");
}

} // namespace torture
