#include "ingest/core/json_lines.hh"

namespace ingest {

line_step json_lines_parser::next(std::string_view& rest, input_end end) {
    while (const auto line = _lines.next(rest, end)) {
        if (!line->is_too_long && line->text.find_first_not_of(" \t") == line->text.npos) {
            continue;
        }
        // The line's end may have been a CR and an LF; then those can be read, too.
        return read(*line, static_cast<size_t>(rest.end() - line->text.end()));
    }
    return line_step::need_more;
}

line_step json_lines_parser::read(const line_splitter::line& line, size_t readable_behind) {
    if (line.is_too_long) {
        _fault = {line.number, line_fault::line_too_long};
        return line_step::bad_line;
    }
    _line = line.number;
    _text = line.text;
    const auto step = _reader.read(line.text, readable_behind);
    if (step == line_step::bad_line) {
        _fault = {line.number, _reader.fault()};
    } else if (step == line_step::record && record().source.empty()) {
        _fault = {line.number, line_fault::missing_source};
        return line_step::bad_line;
    }
    return step;
}

record_view json_lines_parser::record() const {
    auto record = _reader.record();
    if (record.source.empty()) {
        record.source = _default_source;
    }
    record.text = _text;
    return record;
}

} // namespace ingest
