// Several clients count one entity up, each by reading it and replacing what it read under its ETag. No number may be given out
// twice, and none that was acknowledged may be lost.
#pragma once

#include <mutex>
#include <optional>
#include <set>

#include "tests/torture/load.hh"

namespace torture {

class table_client;

class counter_load final : public workload {
public:
    explicit counter_load(unsigned clients_count) : _clients_count(clients_count) {}

    std::string name() const override { return "conditional updates"; }
    void run(site&, std::mt19937_64& random) override;
    size_t verify(site&, depth, damage) override;
    uint64_t acknowledged_count() const override { return _acknowledged_count; }

private:
    struct counted {
        uint64_t value = 0;
        std::string etag;
    };
    std::optional<counted> get(table_client&, int& status);
    void count_up(site&);
    bool make_counter(table_client&);

    const unsigned _clients_count;
    std::mutex _mutex;
    std::set<uint64_t> _given_out; // numbers whose replacement was acknowledged
    uint64_t _attempted_max = 0;
    bool _was_made = false;
    std::atomic<uint64_t> _acknowledged_count = 0;
};

} // namespace torture
