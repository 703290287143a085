// What the loads of numbered entries share: how they are read back, while others write and after a start.
#pragma once

#include "tests/torture/load.hh"
#include "tests/torture/stream_oracle.hh"
#include "tests/torture/stream_place.hh"

namespace torture {

class stream_load : public workload {
public:
    stream_load(stream_place place, verdict& v) : _place(std::move(place)), _oracle(_place.name, v) {}

    void run(site&, std::mt19937_64& random) final;
    size_t verify(site&, depth, damage) final;
    uint64_t acknowledged_count() const final { return _oracle.owed_count(); }

protected:
    virtual void write(site&, std::mt19937_64& random) = 0;

    const stream_place& place() const { return _place; }
    stream_oracle& oracle() { return _oracle; }

private:
    void read_while_written(site&, uint64_t seed);
    void check_tail(site&, http_connection&);
    // False when the question was not answered.
    answer<void> check_range(site&, http_connection&, uint64_t first, uint64_t end, const std::string& where);

    const stream_place _place;
    stream_oracle _oracle;
    uint64_t _verified_end = 0; // by the last verify()
};

} // namespace torture
