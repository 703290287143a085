// Snapshots while everything else goes on, and kills in the middle of them: what was acknowledged before the call is in it, and a
// snapshot is there as a whole or not at all. The last one is opened by a server of its own at the next start of the other.
#pragma once

#include <string>

#include "tests/torture/load.hh"

namespace torture {

class snapshot_load final : public workload {
public:
    // Snapshots go beside the data, to `place` and a number.
    explicit snapshot_load(std::string place) : _place(std::move(place)) {}

    std::string name() const override { return "snapshots"; }
    void run(site&, std::mt19937_64& random) override;
    size_t verify(site&, depth, damage) override;
    uint64_t acknowledged_count() const override { return _taken_count; }

private:
    // Of the last call, whatever was answered.
    struct snapshot {
        std::string directory;
        uint64_t mark = 0; // the last point that was acknowledged before it
        bool is_taken = false;
    };

    void take(site&);
    void look_into(const snapshot&, verdict&) const;

    const std::string _place;
    snapshot _last;
    uint64_t _number = 0;
    std::atomic<uint64_t> _taken_count = 0;
};

} // namespace torture
