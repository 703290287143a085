// The predicate of a scan for a plan: rows with a time in the range, behind the cursor, that `where` accepts.
#pragma once

#include <memory>

#include "query/control.hh"
#include "query/core/native/plan.hh"
#include "tables/engine.hh"

namespace query {

// All must outlive the scan.
class row_filter final : public tables::predicate_source {
public:
    row_filter(const plan& p, uint32_t part, time_range range, control& watch)
        : _plan(p), _part(part), _range(range), _watch(watch) {}
    std::unique_ptr<tables::row_predicate> make() const override;

private:
    const plan& _plan;
    uint32_t _part;
    time_range _range;
    control& _watch;
};

} // namespace query
