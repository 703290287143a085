#include "ingest/core/json_array_splitter.hh"

#include <algorithm>
#include <utility>

#include "ingest/core/limits.hh"

namespace ingest {
namespace {

constexpr std::string_view json_blanks = " \t\r\n";
// What ends a number or a word.
constexpr std::string_view plain_ends = " \t\r\n,]}";

} // namespace

std::optional<json_array_splitter::element> json_array_splitter::next(std::string_view& rest, input_end end) {
    if (_stage == stage::given_up) {
        rest = {};
        return std::nullopt;
    }
    if (!_is_in_element) {
        if (auto trouble = find_element(rest, end); trouble || !_is_in_element) {
            return trouble;
        }
    }
    return take_element(rest, end);
}

std::optional<json_array_splitter::element> json_array_splitter::find_element(std::string_view& rest, input_end end) {
    for (;;) {
        rest.remove_prefix(std::min(rest.find_first_not_of(json_blanks), rest.size()));
        if (rest.empty()) {
            const bool is_cut =
                end == input_end::yes && _stage != stage::behind && _stage != stage::before && _stage != stage::between;
            return is_cut ? std::optional(fail(rest)) : std::nullopt;
        }
        const char c = rest.front();
        if (_stage == stage::before && c == '[') {
            _stage = stage::first;
        } else if ((_stage == stage::first || _stage == stage::behind_element) && c == ']') {
            _stage = stage::behind;
        } else if (_stage == stage::behind_element && c == ',') {
            _stage = stage::element;
        } else if ((_stage == stage::first || _stage == stage::element || _stage == stage::between) && !plain_ends.contains(c)) {
            _is_in_element = true;
            ++_number;
            return std::nullopt;
        } else {
            return fail(rest);
        }
        rest.remove_prefix(1);
    }
}

json_array_splitter::element json_array_splitter::fail(std::string_view& rest) {
    _stage = stage::given_up;
    rest = {};
    return {.text = {}, .number = _number + 1, .fault = line_fault::invalid_json};
}

bool json_array_splitter::scan(std::string_view rest) {
    for (; _looked_at < rest.size(); ++_looked_at) {
        const char c = rest[_looked_at];
        if (_is_in_string) {
            _is_in_string = _is_escaped || c != '"';
            _is_escaped = !_is_escaped && c == '\\';
        } else if (c == '"') {
            _is_in_string = true;
        } else if (c == '{' || c == '[') {
            ++_depth;
        } else if (_depth == 0 && plain_ends.contains(c)) {
            return true;
        } else if (c == '}' || c == ']') {
            if (--_depth == 0) {
                ++_looked_at;
                return true;
            }
        }
    }
    return false;
}

std::optional<json_array_splitter::element> json_array_splitter::take_element(std::string_view& rest, input_end end) {
    const bool is_whole = scan(rest);
    if (!is_whole && _is_skipping) {
        rest = {};
        _looked_at = 0;
        return std::nullopt;
    }
    const bool is_too_long = _looked_at > line_bytes_max;
    if (!is_whole && !is_too_long) {
        return end == input_end::no ? std::nullopt : std::optional(fail(rest));
    }
    const element found{.text = is_too_long ? std::string_view() : rest.substr(0, _looked_at),
                        .number = _number,
                        .fault = is_too_long ? line_fault::line_too_long : line_fault::none};
    const bool was_told = std::exchange(_is_skipping, is_too_long && !is_whole);
    rest.remove_prefix(std::exchange(_looked_at, 0));
    if (is_whole) {
        _is_in_element = false;
        _is_skipping = false;
        _stage = _stage == stage::between ? stage::between : stage::behind_element;
    }
    return was_told ? next(rest, end) : std::optional(found);
}

} // namespace ingest
