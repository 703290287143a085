#include "ingest/core/line_protocol.hh"

#include <algorithm>

#include "ingest/core/limits.hh"
#include "ingest/core/quoted_string.hh"

namespace ingest {
namespace {

int64_t ns_per_unit(time_precision precision) {
    switch (precision) {
    case time_precision::ns: return 1;
    case time_precision::us: return 1'000;
    case time_precision::ms: return 1'000'000;
    case time_precision::s: return 1'000'000'000;
    case time_precision::m: return 60'000'000'000;
    case time_precision::h: return 3'600'000'000'000;
    }
    return 1;
}

} // namespace

std::optional<time_precision> parse_precision(std::string_view text) {
    if (text == "ns" || text == "n") {
        return time_precision::ns;
    }
    if (text == "us" || text == "u") {
        return time_precision::us;
    }
    if (text == "ms") {
        return time_precision::ms;
    }
    if (text == "s") {
        return time_precision::s;
    }
    if (text == "m") {
        return time_precision::m;
    }
    if (text == "h") {
        return time_precision::h;
    }
    return std::nullopt;
}

line_protocol_parser::line_protocol_parser(point_builder& point, time_precision precision, series_cache* known)
    : _point(point), _known(known), _ns_per_unit(ns_per_unit(precision)) {}

line_step line_protocol_parser::next(std::string_view& rest, input_end end) {
    const auto step = read_line(rest, end);
    if (step == line_step::need_more) {
        _gives_up_strings = false;
    }
    return step;
}

line_step line_protocol_parser::read_line(std::string_view& rest, input_end end) {
    if (!skip_to_line(rest) || (end == input_end::no && !can_be_complete(rest))) {
        return line_step::need_more;
    }
    // One byte more than a line may have: its line break.
    const auto window = rest.substr(0, line_bytes_max + 1);
    const bool is_last = end == input_end::yes && rest.size() <= line_bytes_max;
    line_reader reader(_point, window, is_last ? input_end::yes : input_end::no, _ns_per_unit, _known);
    const auto outcome = reader.read();
    _awaited = reader.awaits();
    _looked_at = reader.looked_at();
    _has_break_in_string =
        _awaited == awaited::quote && static_cast<uint64_t>(std::ranges::count(window, '\n')) > reader.inner_breaks();
    if (outcome == line_reader::outcome::point) {
        _point_line = _line;
        _line += reader.inner_breaks() + 1;
        rest.remove_prefix(reader.length());
        return line_step::point;
    }
    const bool is_given_up = _gives_up_strings && has_open_string();
    if (outcome == line_reader::outcome::incomplete && window.size() <= line_bytes_max && !is_given_up) {
        return line_step::need_more;
    }
    const auto unread = is_given_up ? line_fault::unterminated_string : line_fault::line_too_long;
    _fault = {_line, outcome == line_reader::outcome::fault ? reader.fault() : unread};
    _is_skipping = true;
    _awaited = awaited::nothing;
    return line_step::bad_line;
}

// Takes line breaks, blanks, comments and what is left of a bad line off the front. False when nothing is left.
bool line_protocol_parser::skip_to_line(std::string_view& rest) {
    while (!rest.empty()) {
        const char first = rest.front();
        if (_is_skipping || first == '#') {
            const size_t line_break = rest.find('\n');
            _is_skipping = line_break == rest.npos;
            rest.remove_prefix(_is_skipping ? rest.size() : line_break + 1);
            _line += _is_skipping ? 0 : 1;
        } else if (first == '\n' || first == '\r' || first == ' ' || first == '\t') {
            _line += first == '\n' ? 1 : 0;
            rest.remove_prefix(1);
        } else {
            return true;
        }
    }
    return false;
}

bool line_protocol_parser::can_be_complete(std::string_view rest) {
    if (_awaited == awaited::nothing || rest.size() > line_bytes_max) {
        return true;
    }
    if (_awaited == awaited::line_break) {
        const bool is_there = rest.find('\n', _looked_at) != rest.npos;
        _looked_at = rest.size();
        return is_there;
    }
    const auto scan = find_closing_quote(rest.data() + _looked_at, rest.data() + rest.size());
    _has_break_in_string |= rest.substr(_looked_at).contains('\n');
    _looked_at = static_cast<size_t>(scan.at - rest.data());
    return scan.is_closed;
}

} // namespace ingest
