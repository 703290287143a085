// Graphite plaintext, one value a line:
//
//   path value [time]             family `graphite`, tag `path`, field `value`
//   name;tag=value... value [time]    family `name`, its tags, field `value`
//
// The value is always a real. Times are Unix times (unix_time.hh); -1 or none is the time of receipt. Blank lines are skipped.
#pragma once

#include <string_view>

#include "ingest/core/line_fault.hh"
#include "ingest/core/line_splitter.hh"
#include "ingest/core/line_step.hh"
#include "ingest/core/point.hh"
#include "ingest/core/point_builder.hh"

namespace ingest {

class graphite_parser {
public:
    // As for line_protocol_parser.
    explicit graphite_parser(point_builder& point) : _point(point) {}

    // As line_protocol_parser::next().
    line_step next(std::string_view& rest, input_end end = input_end::no);

    const point_view& point() { return _point.finish(); }
    uint64_t line() const { return _line; }
    const bad_line& fault() const { return _fault; }

private:
    line_fault read_line(std::string_view line);
    line_fault read_path(std::string_view path);

    point_builder& _point;
    line_splitter _lines;
    uint64_t _line = 0; // of the last point
    bad_line _fault;
};

} // namespace ingest
