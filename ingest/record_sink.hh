// Where log records go that come in among the points.
#pragma once

#include "ingest/core/line_fault.hh"
#include "ingest/core/record.hh"

namespace ingest {

class record_sink {
public:
    virtual ~record_sink() = default;
    // Takes the record in, before the call returns, or says why not.
    virtual line_fault take(const record_view&) = 0;
};

// While there is no store for them.
class rejecting_sink final : public record_sink {
public:
    line_fault take(const record_view&) override { return line_fault::no_log_storage; }
};

} // namespace ingest
