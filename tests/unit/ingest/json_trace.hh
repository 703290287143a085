// What the JSON lines parser says about an input.
#pragma once

#include "ingest/core/json_lines.hh"
#include "tests/unit/ingest/line_trace.hh"

namespace ingest_test {

inline std::string json_text(ingest::json_lines_parser& parser, ingest::line_step step) {
    return step == ingest::line_step::point ? point_text(parser.point()) : record_text(parser.record());
}

inline std::string bad_json(ingest::line_fault fault, uint64_t line = 1) {
    return fault_text({line, fault});
}

class json_trace {
public:
    explicit json_trace(std::string default_source, ingest::json_arrays arrays = ingest::json_arrays::refused)
        : _parser(_reader, std::move(default_source), arrays) {}

    void feed(std::string_view piece, ingest::input_end end) { _trace.feed(piece, end); }
    void feed_in_pieces(std::string_view input, std::mt19937_64& random) { ingest_test::feed_in_pieces(_trace, input, random); }
    const std::vector<std::string>& said() const { return _trace.said; }

private:
    ingest::point_builder _point;
    ingest::record_builder _record;
    ingest::json_reader _reader{_point, _record};
    ingest::json_lines_parser _parser;
    line_trace<ingest::json_lines_parser, decltype(&json_text)> _trace{_parser, &json_text};
};

} // namespace ingest_test
