#include "ingest/core/graphite.hh"

#include <algorithm>

#include "ingest/core/number.hh"
#include "ingest/core/unix_time.hh"
#include "tables/core/unicode.hh"

namespace ingest {
namespace {

constexpr std::string_view blanks = " \t";

// The next word off the front; empty when there is none.
std::string_view take_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    const auto word = line.substr(0, line.find_first_of(blanks));
    line.remove_prefix(word.size());
    return word;
}

// What is before the first `mark`; that and the mark go off the front.
std::string_view take_part(std::string_view& text, char mark) {
    const auto part = text.substr(0, text.find(mark));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return part;
}

} // namespace

line_step graphite_parser::next(std::string_view& rest, input_end end) {
    while (const auto line = _lines.next(rest, end)) {
        if (!line->is_too_long && line->text.find_first_not_of(blanks) == line->text.npos) {
            continue;
        }
        const auto fault = line->is_too_long ? line_fault::line_too_long : read_line(line->text);
        if (fault == line_fault::none) {
            _line = line->number;
            return line_step::point;
        }
        _fault = {line->number, fault};
        return line_step::bad_line;
    }
    return line_step::need_more;
}

line_fault graphite_parser::read_line(std::string_view line) {
    _point.clear();
    if (!tables::is_utf8(line)) {
        return line_fault::not_utf8;
    }
    if (const auto fault = read_path(take_word(line)); fault != line_fault::none) {
        return fault;
    }
    const auto value_text = take_word(line);
    if (value_text.empty()) {
        return line_fault::missing_field_value;
    }
    const auto value = parse_real(value_text, line.size());
    if (!value) {
        return value.error();
    }
    const auto time_text = take_word(line);
    if (!time_text.empty() && time_text != "-1") {
        const auto time = unix_time_ns(time_text);
        if (!time) {
            return time.error();
        }
        _point.set_time(*time);
    }
    if (!take_word(line).empty()) {
        return line_fault::text_after_time;
    }
    return _point.add_field("value", tables::value::of_real(*value));
}

line_fault graphite_parser::read_path(std::string_view path) {
    const size_t tags_at = path.find(';');
    if (tags_at == path.npos) {
        _point.set_raw_tags(path);
        _point.set_family("graphite");
        return _point.add_tag("path", path);
    }
    // With its semicolon, so that it is no path.
    _point.set_raw_tags(path.substr(tags_at));
    if (const auto fault = _point.set_family(take_part(path, ';')); fault != line_fault::none) {
        return fault;
    }
    do {
        auto value = take_part(path, ';');
        const auto name = take_part(value, '=');
        if (const auto fault = _point.add_tag(name, value); fault != line_fault::none) {
            return fault;
        }
    } while (!path.empty());
    return line_fault::none;
}

} // namespace ingest
