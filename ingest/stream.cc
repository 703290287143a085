#include "ingest/stream.hh"

namespace ingest {
namespace {

// What every stream may keep of a line that has begun.
constexpr size_t carry_bytes_free = 4096;

// One step of a parser that has only points.
template <class Parser, class OnPoint, class OnFault>
void take_points(Parser& parser, std::string_view& rest, input_end end, OnPoint&& on_point, OnFault&& on_fault) {
    for (;;) {
        switch (parser.next(rest, end)) {
        case line_step::point: on_point(); break;
        case line_step::bad_line: on_fault(parser.fault()); break;
        default: return;
        }
    }
}

} // namespace

bool stream::feed(std::string_view piece) {
    _now_ns = _intake.begin_piece();
    _intake.counts(_protocol).bytes += piece.size();
    _carry.feed(piece, [this](std::string_view& rest, input_end end) { take(rest, end); });
    return account_for_carry();
}

bool stream::account_for_carry() {
    const size_t wanted = _carry.capacity() > carry_bytes_free ? _carry.capacity() : 0;
    if (wanted <= _carry_units.count()) {
        _carry_units.return_units(_carry_units.count() - wanted);
        return true;
    }
    auto more = seastar::try_get_units(_intake.long_lines(), wanted - _carry_units.count());
    if (!more) {
        return false;
    }
    _carry_units.adopt(std::move(*more));
    return true;
}

void stream::finish() {
    _now_ns = _intake.begin_piece();
    _carry.finish([this](std::string_view& rest, input_end end) { take(rest, end); });
}

void stream::give_up_string() {
    _now_ns = _intake.begin_piece();
    end_open_string();
    _carry.take_again([this](std::string_view& rest, input_end end) { take(rest, end); });
    account_for_carry(); // it can only have become less
}

void stream::abandon() {
    if (has_open_string()) {
        give_up_string();
    }
    if (_carry.bytes() > 0) {
        reject({0, line_fault::unfinished_line});
    }
}

void stream::take_point(const point_view& point, uint64_t line) {
    const auto fault = _intake.router().route(point, _intake.series(_protocol), _now_ns);
    if (fault != line_fault::none) [[unlikely]] {
        return reject({line, fault});
    }
    auto& counts = _intake.counts(_protocol);
    ++_lines_count;
    ++counts.lines;
    ++counts.points;
}

void stream::take_record(const record_view& record, uint64_t line) {
    const auto fault = _intake.records().take(record);
    if (fault != line_fault::none) [[unlikely]] {
        return reject({line, fault});
    }
    auto& counts = _intake.counts(_protocol);
    ++_lines_count;
    ++counts.lines;
    ++counts.records;
}

void stream::reject(bad_line line) {
    auto& counts = _intake.counts(_protocol);
    ++_lines_count;
    ++counts.lines;
    ++counts.rejected[static_cast<size_t>(line.fault)];
    ++_rejected_count;
    if (_rejected.size() < _listed_max) {
        _rejected.push_back(line);
    }
}

void line_protocol_stream::take(std::string_view& rest, input_end end) {
    take_points(
        _parser, rest, end, [this] { take_point(_parser.point(), _parser.line()); }, [this](bad_line line) { reject(line); });
}

void graphite_stream::take(std::string_view& rest, input_end end) {
    take_points(
        _parser, rest, end, [this] { take_point(_parser.point(), _parser.line()); }, [this](bad_line line) { reject(line); });
}

void json_stream::take(std::string_view& rest, input_end end) {
    for (;;) {
        switch (_parser.next(rest, end)) {
        case line_step::point: take_point(_parser.point(), _parser.line()); break;
        case line_step::bad_line: reject(_parser.fault()); break;
        case line_step::record: take_record(_parser.record(), _parser.line()); break;
        case line_step::need_more: return;
        }
    }
}

} // namespace ingest
