#include "ingest/core/json_lines.hh"

#include "ingest/core/limits.hh"

namespace ingest {

// A first line that goes on on the next one begins a document; one that is cut off is a line that is bad.
bool json_lines_parser::find_form(std::string_view rest, input_end end) {
    if (rest.front() == '[') {
        _array.emplace();
        return _is_form_known = true;
    }
    const size_t line_end = rest.find('\n');
    if (line_end == rest.npos) {
        return _is_form_known = end == input_end::yes || rest.size() > line_bytes_max;
    }
    const auto last = rest.substr(0, line_end).find_last_not_of(" \t\r");
    if (rest.front() == '{' && std::string_view("{[,").contains(rest[last])) {
        _array.emplace(json_array_splitter::form::documents);
    }
    return _is_form_known = true;
}

line_step json_lines_parser::next(std::string_view& rest, input_end end) {
    if (!_is_form_known) {
        _lines.skip_blanks(rest);
        if (rest.empty() || !find_form(rest, end)) {
            return line_step::need_more;
        }
    }
    return _array ? next_element(rest, end) : next_line(rest, end);
}

line_step json_lines_parser::next_line(std::string_view& rest, input_end end) {
    while (const auto line = _lines.next(rest, end)) {
        if (line->is_too_long) {
            _fault = {line->number, line_fault::line_too_long};
            return line_step::bad_line;
        }
        if (line->text.find_first_not_of(" \t") != line->text.npos) {
            // The line's end may have been a CR and an LF; then those can be read, too.
            return read(line->text, line->number, static_cast<size_t>(rest.end() - line->text.end()));
        }
    }
    return line_step::need_more;
}

line_step json_lines_parser::next_element(std::string_view& rest, input_end end) {
    const auto element = _array->next(rest, end);
    if (!element) {
        return line_step::need_more;
    }
    if (element->fault != line_fault::none) {
        _fault = {element->number, element->fault};
        return line_step::bad_line;
    }
    return read(element->text, element->number, static_cast<size_t>(rest.end() - element->text.end()));
}

line_step json_lines_parser::read(std::string_view text, uint64_t number, size_t readable_behind) {
    _line = number;
    _text = text;
    const auto step = _reader.read(text, readable_behind);
    if (step == line_step::bad_line) {
        _fault = {number, _reader.fault()};
    } else if (step == line_step::record && !_source.empty()) {
        _reader.move_source_to_fields(_source);
    } else if (step == line_step::record && record().source.empty()) {
        _fault = {number, line_fault::missing_source};
        return line_step::bad_line;
    }
    return step;
}

record_view json_lines_parser::record() const {
    auto record = _reader.record();
    if (!_source.empty()) {
        record.source = _source;
    }
    record.text = _text;
    return record;
}

} // namespace ingest
