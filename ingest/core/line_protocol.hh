// InfluxDB line protocol, a step at a time over whatever bytes have come:
//
//   family[,tag=value...] field=value[,field=value...] [time]
//
// As InfluxDB reads it: a backslash right before one of `, = space` takes its meaning away in names and tag values, as it does
// before `"` and `\` in quoted strings; everywhere else it is itself. A quoted string may hold line breaks. Lines end with LF
// or CR LF; blank ones and those that begin with # are skipped. An empty tag value, or a tag name that comes twice, spoils
// the line; of a field name that comes twice the last value counts. Unsigned integers are stored as signed ones.
//
// A line that cannot be read never takes another with it: reading goes on after the first line break behind its beginning,
// even when it seemed to end in an open string. Whether a string is open for good nobody can know while more may come; so where
// others wait for their lines, the caller says when it has waited long enough (give_up_string()).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ingest/core/line_fault.hh"
#include "ingest/core/line_reader.hh"
#include "ingest/core/line_step.hh"
#include "ingest/core/point.hh"
#include "ingest/core/point_builder.hh"

namespace ingest {

// The unit of the times on the lines.
enum class time_precision : uint8_t { ns, us, ms, s, m, h };

// "ns" or "n", "us" or "u", "ms", "s", "m", "h".
std::optional<time_precision> parse_precision(std::string_view);

class line_protocol_parser {
public:
    // `point` is where points are put together. It must outlive the parser and may serve others, too, as must `known`, if there
    // is one: tags whose bytes are in there were read before, and are not read again.
    explicit line_protocol_parser(point_builder& point, time_precision precision = time_precision::ns,
                                  series_cache* known = nullptr);

    // Takes the next line off the front of `rest` and says what it was: point, bad_line, or need_more. On need_more, what is
    // left of `rest` is the beginning of a line (at most line_bytes_max bytes): come back with the same bytes and more behind
    // them, wherever they are in memory by then. At the end of the input need_more means that all is done.
    line_step next(std::string_view& rest, input_end end = input_end::no);

    // After need_more: the line ends in a string that is open, and there is a line break in it. So there may be lines behind it
    // that are held up, if its quote was never closed.
    bool has_open_string() const { return _awaited == awaited::quote && _has_break_in_string; }
    // Until need_more comes again, a string that is open at the end of the bytes ends at its first line break, and spoils its
    // line.
    void give_up_string() {
        _gives_up_strings = true;
        _awaited = awaited::nothing;
    }

    // After point. Borrows from the bytes given to next() and from the builder; good until that is used again.
    const point_view& point() { return _point.finish(); }
    // After point: the number of the line it began on.
    uint64_t line() const { return _point_line; }
    // After bad_line.
    const bad_line& fault() const { return _fault; }

private:
    line_step read_line(std::string_view& rest, input_end end);
    bool skip_to_line(std::string_view& rest);
    bool can_be_complete(std::string_view rest);

    point_builder& _point;
    series_cache* _known;
    int64_t _ns_per_unit;
    uint64_t _line = 1;        // the number of the line that `rest` begins with
    uint64_t _point_line = 0;  // of the last point
    bool _is_skipping = false; // what is left of this line is of no use: it is a comment, or a fault was found
    // Of the line whose end had not come: what to look for, from which of its bytes on, before reading it again from the
    // start. So a long line that comes in small pieces is not read again for every piece.
    awaited _awaited = awaited::nothing;
    size_t _looked_at = 0;
    bool _has_break_in_string = false; // in what came of the string whose quote is awaited
    bool _gives_up_strings = false;
    bad_line _fault;
};

} // namespace ingest
