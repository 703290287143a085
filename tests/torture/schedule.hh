// What is done to the server in a round. It follows from the seed alone, so that a run can be had again.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace torture {

struct round_plan {
    struct pause {
        std::chrono::milliseconds at{};
        std::chrono::milliseconds length{};
    };
    struct clock_step {
        std::chrono::milliseconds at{};
        std::chrono::seconds by{};
    };

    unsigned shards = 1;
    bool in_cgroup = false;
    std::chrono::milliseconds load{};
    std::vector<pause> pauses;
    std::optional<clock_step> step;
    bool is_killed = true; // or told to end
    std::optional<std::chrono::milliseconds> killed_in_start;
    bool has_damage = false;
    bool has_full_disk = false;
    uint64_t seed = 0; // of what the clients do

    std::string describe() const;
};

class schedule {
public:
    explicit schedule(uint64_t seed) : _random(seed) {}

    round_plan next();

private:
    std::chrono::milliseconds between(unsigned low, unsigned high);
    bool one_in(unsigned count) { return _random() % count == 0; }

    std::mt19937_64 _random;
    unsigned _rounds_count = 0;
};

} // namespace torture
