// Tables named by date under a policy: one that is long over, which may go by itself and must be gone after a run; and one of the
// current month, which must stay whatever the clock does.
#pragma once

#include "tests/torture/load.hh"
#include "tests/torture/table_oracle.hh"

namespace torture {

class table_client;

class retention_load final : public workload {
public:
    explicit retention_load(verdict& v);

    std::string name() const override { return "retention runs"; }
    void run(site&, std::mt19937_64& random) override;
    size_t verify(site&, depth, damage) override;
    uint64_t acknowledged_count() const override { return _runs_count; }

private:
    bool prepare(site&, table_client&);
    // Makes the old table and has it dropped.
    void cycle(site&, table_client&);

    table_oracle _current;
    bool _is_prepared = false;
    std::atomic<uint64_t> _runs_count = 0;
};

} // namespace torture
