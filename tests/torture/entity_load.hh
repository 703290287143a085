// One writer of the Table service on a table of its own: all kinds of writes, transactions that succeed and that must not, the
// table dropped and made again under its name; and a second connection that reads while it writes.
#pragma once

#include "tests/torture/load.hh"
#include "tests/torture/table_oracle.hh"

namespace torture {

class entity_load final : public workload {
public:
    entity_load(unsigned number, verdict& v);

    std::string name() const override { return "entities"; }
    void run(site&, std::mt19937_64& random) override;
    size_t verify(site&, depth, damage) override;
    uint64_t acknowledged_count() const override { return _acknowledged_count; }

private:
    table_change next_change(std::mt19937_64& random);
    void read_while_written(site&, uint64_t seed);

    table_oracle _oracle;
    std::atomic<uint64_t> _acknowledged_count = 0;
    uint64_t _changes_count = 0;
    bool _was_made = false;
};

} // namespace torture
