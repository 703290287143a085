// Somebody without the key: no signature, half of one, one that is nearly right. Must never be let in.
#pragma once

#include "tests/torture/load.hh"

namespace torture {

class intruder_load final : public workload {
public:
    std::string name() const override { return "refused intruders"; }
    void run(site&, std::mt19937_64& random) override;
    size_t verify(site&, depth, damage) override { return 0; }
    uint64_t acknowledged_count() const override { return _refused_count; }

private:
    std::atomic<uint64_t> _refused_count = 0;
};

} // namespace torture
