// One sender's bytes -> points in the router, line by line. What is wrong with a line concerns that line only: it is counted and
// listed. Nothing here suspends; whoever feeds a piece drains the router afterwards.
#pragma once

#include <string_view>
#include <vector>

#include <seastar/core/semaphore.hh>

#include "ingest/core/graphite.hh"
#include "ingest/core/json_lines.hh"
#include "ingest/core/line_carry.hh"
#include "ingest/core/line_protocol.hh"
#include "ingest/intake.hh"

namespace ingest {

class stream {
public:
    // Lists at most so many bad lines.
    stream(intake& in, protocol p, size_t listed_max, size_t carry_bytes_max = line_bytes_max)
        : _intake(in), _protocol(p), _listed_max(listed_max), _carry(carry_bytes_max), _carry_units(in.long_lines(), 0) {}
    virtual ~stream() = default;

    // The whole lines of what has come; the beginning of the next one is kept. False when the memory for beginnings of long lines
    // is used up: nothing more may be fed.
    [[nodiscard]] bool feed(std::string_view piece);
    // The sender has finished: what is left is a line, too.
    void finish();
    // The sender is gone: the last line is half a line, and half a line can look like a whole one.
    virtual void abandon();

    // Whether whole lines may be held up by a string in a line before them that is open: they are there, and nobody knows.
    virtual bool has_open_string() const { return false; }
    // Takes it for a bad line, and in what is behind it.
    void give_up_string();
    // Whether the beginning of a line is kept, and how many lines have come, good or not.
    bool has_begun_line() const { return _carry.bytes() > 0; }
    uint64_t lines_count() const { return _lines_count; }

    uint64_t rejected_count() const { return _rejected_count; }
    const std::vector<bad_line>& rejected() const { return _rejected; }
    // Forgets the list, not the count.
    void clear_rejected() { _rejected.clear(); }

protected:
    // Takes whole lines off the front of `rest`.
    virtual void take(std::string_view& rest, input_end) = 0;
    // An open string is not waited for in the next take().
    virtual void end_open_string() {}
    void take_point(const point_view&, uint64_t line);
    void take_record(const record_view&, uint64_t line);
    // When the piece came that is being taken in.
    int64_t received_ns() const { return _now_ns; }
    void reject(bad_line);

    intake& _intake;

private:
    bool account_for_carry();

    const protocol _protocol;
    const size_t _listed_max;
    line_carry _carry;
    seastar::semaphore_units<> _carry_units; // for as much of it as is more than usual
    int64_t _now_ns = 0;
    uint64_t _lines_count = 0;
    uint64_t _rejected_count = 0;
    std::vector<bad_line> _rejected;
};

class line_protocol_stream final : public stream {
public:
    line_protocol_stream(intake& in, protocol p, size_t listed_max, time_precision precision = time_precision::ns)
        : stream(in, p, listed_max), _parser(in.points(), precision, &in.series(p)) {}

    bool has_open_string() const override { return _parser.has_open_string(); }

private:
    void end_open_string() override { _parser.give_up_string(); }
    void take(std::string_view& rest, input_end) override;

    line_protocol_parser _parser;
};

class graphite_stream final : public stream {
public:
    graphite_stream(intake& in, size_t listed_max) : stream(in, protocol::graphite, listed_max), _parser(in.points()) {}

private:
    void take(std::string_view& rest, input_end) override;

    graphite_parser _parser;
};

class json_stream final : public stream {
public:
    json_stream(intake& in, size_t listed_max) : stream(in, protocol::json, listed_max), _parser(in.json()) {}

private:
    void take(std::string_view& rest, input_end) override;

    json_lines_parser _parser;
};

} // namespace ingest
