#include "ingest/core/line_reader.hh"

#include <algorithm>
#include <optional>

#include <simdjson.h>

#include "base/take.hh"
#include "ingest/core/number.hh"
#include "ingest/core/quoted_string.hh"

namespace ingest {
namespace {

static_assert(plain_number_bytes >= field_names::piece_bytes);

constexpr std::string_view family_escapes = ", ";
constexpr std::string_view tag_escapes = ", =";
constexpr std::string_view field_name_escapes = ", =\"";
constexpr std::string_view string_escapes = "\"\\";

std::optional<bool> parse_boolean(std::string_view text) {
    for (std::string_view word : {"t", "T", "true", "True", "TRUE"}) {
        if (text == word) {
            return true;
        }
    }
    for (std::string_view word : {"f", "F", "false", "False", "FALSE"}) {
        if (text == word) {
            return false;
        }
    }
    return std::nullopt;
}

void trim_carriage_return(std::string_view& text) {
    if (text.ends_with('\r')) {
        text.remove_suffix(1);
    }
}

} // namespace

line_reader::line_reader(point_builder& point, std::string_view window, input_end end, int64_t ns_per_unit, series_cache* known)
    : _point(point), _begin(window.data()), _at(_begin), _end(_begin + window.size()), _is_input_end(end == input_end::yes),
      _ns_per_unit(ns_per_unit), _known(known), _scanner(_begin, _end) {
    _point.clear();
}

line_reader::outcome line_reader::read() {
    if (read_line() && !has_valid_text()) {
        fail(line_fault::not_utf8);
    }
    return _outcome;
}

bool line_reader::read_line() {
    token family;
    if (!take<equals_sign::is_text>(family) || !check(_point.set_family(resolve(family.text, family_escapes)))) {
        return false;
    }
    if (family.delimiter == '\n') {
        return fail(line_fault::missing_fields);
    }
    if (family.delimiter == ',' && !read_tags()) {
        return false;
    }
    return read_fields();
}

// Tags that came before in the same bytes: then so did the end of them, and all that could be wrong. A space that belongs to a
// tag has a backslash before it, so what ends at the first one is then no whole tag set, and nobody knows it.
bool line_reader::take_known_tags() {
    const auto found = _known->find_before_space({_at, _end});
    if (found.series == nullptr) {
        return false;
    }
    _point.set_raw_tags(found.raw);
    _point.set_series(found.series);
    _at = found.raw.end() + 1;
    _scanner.seek(_at);
    return true;
}

// Ends behind the space that ends the tags.
bool line_reader::read_tags() {
    if (_known != nullptr && take_known_tags()) {
        return true;
    }
    const char* const tags_begin = _at;
    token value;
    do {
        token name;
        if (!take(name)) {
            return false;
        }
        if (name.delimiter != '=') {
            return fail(name.text.empty() ? line_fault::missing_tag_name : line_fault::missing_tag_value);
        }
        if (!take(value)) {
            return false;
        }
        if (value.delimiter == '=') {
            return fail(line_fault::invalid_tag);
        }
        if (!check(_point.add_tag(resolve(name.text, tag_escapes), resolve(value.text, tag_escapes)))) {
            return false;
        }
    } while (value.delimiter == ',');
    _point.set_raw_tags({tags_begin, value.text.end()});
    return value.delimiter == ' ' || fail(line_fault::missing_fields);
}

bool line_reader::read_fields() {
    bool is_line_end = false;
    if (!skip_blanks() || !take_line_break(is_line_end)) {
        return false;
    }
    if (is_line_end) {
        return fail(line_fault::missing_fields);
    }
    auto& names = _point.names_before();
    _names = &names;
    char delimiter = ',';
    take_plain_fields(delimiter);
    while (delimiter == ',') {
        if (!read_field(delimiter)) {
            return false;
        }
    }
    const auto fields = _point.fields().all();
    const bool is_like_before = _names != nullptr && fields.size() == names.size();
    // Names that stand there as they are, and that nobody has to look at again for bytes that are not UTF-8.
    const bool can_learn = !is_like_before && !_scanner.has_backslash() && !_scanner.has_high_bytes();
    if (can_learn) {
        _point.learn_names(names);
    }
    if ((is_like_before || can_learn) && fields.size() == names.size()) {
        _point.set_names(names.serial());
    }
    return delimiter == '\n' || read_time();
}

// Fields with the names that are known, in their order, and with a plain number each: that is most lines from their first field
// to the last. Ends before the first that is anything else, or behind the space after the last.
void line_reader::take_plain_fields(char& delimiter) {
    const auto& names = *_names;
    auto& fields = _point.fields();
    const char* at = _at;
    for (size_t i = 0; i < names.size(); ++i) {
        const size_t size = names.bytes_of(i);
        if (static_cast<size_t>(_end - at) < size + plain_number_bytes || !names.is_at(at, i)) {
            break;
        }
        auto value = tables::value::of_boolean(false);
        const size_t number_size = take_plain_number(at + size, value);
        const char* const behind = at + size + number_size;
        if (number_size == 0 || (*behind != ',' && *behind != ' ')) {
            break;
        }
        fields.add_new({at, size - 1}, value);
        at = behind + 1;
        delimiter = *behind;
        if (delimiter == ' ') {
            break;
        }
    }
    if (at != _at) {
        _at = at;
        _scanner.seek(_at);
    }
}

bool line_reader::read_field(char& delimiter) {
    std::string_view name;
    if (!take_field_name(name)) {
        return false;
    }
    if (_at == _end && !_is_input_end) {
        return wait_for_line_break();
    }
    if (_at != _end && *_at == '"') {
        return read_string(name, delimiter);
    }
    return read_bare_value(name, delimiter);
}

// Takes the equals sign behind it, too. The names that are known have no delimiters and no escapes in them, and no two are the
// same.
bool line_reader::take_field_name(std::string_view& name) {
    if (_names != nullptr) {
        const std::string_view rest(_at, _end);
        const size_t size = _names->match(_point.fields().all().size(), rest);
        _is_name_known = size > 0;
        if (_is_name_known) [[likely]] {
            name = rest.substr(0, size);
            _at += size + 1;
            _scanner.seek(_at);
            return true;
        }
        _names = nullptr;
    }
    token t;
    if (!take(t)) {
        return false;
    }
    if (t.delimiter != '=') {
        return fail(t.text.empty() ? line_fault::missing_field_name : line_fault::missing_field_value);
    }
    name = resolve(t.text, field_name_escapes);
    return true;
}

bool line_reader::read_bare_value(std::string_view name, char& delimiter) {
    token t;
    if (!take(t)) {
        return false;
    }
    if (t.delimiter == '\n') {
        trim_carriage_return(t.text);
    }
    if (t.text.empty()) {
        return fail(line_fault::missing_field_value);
    }
    if (t.delimiter == '=') {
        return fail(line_fault::invalid_value);
    }
    delimiter = t.delimiter;
    return add_bare_value(name, t.text);
}

// 12.5, 12i, 12u, t, False, ...
bool line_reader::add_bare_value(std::string_view name, std::string_view text) {
    const char first = text.front();
    if (first != '-' && first != '.' && !base::is_digit(first)) {
        const auto value = parse_boolean(text);
        return value ? add_field(name, tables::value::of_boolean(*value)) : fail(line_fault::invalid_value);
    }
    if (text.back() == 'i' || text.back() == 'u') {
        const auto digits = text.substr(0, text.size() - 1);
        const auto value = text.back() == 'i' ? parse_int64(digits) : parse_unsigned(digits);
        return value ? add_field(name, tables::value::of_int64(*value)) : fail(value.error());
    }
    const auto value = parse_real(text, static_cast<size_t>(_end - text.end()));
    return value ? add_field(name, tables::value::of_real(*value)) : fail(value.error());
}

// Begins at the opening quote.
bool line_reader::read_string(std::string_view name, char& delimiter) {
    const char* const begin = _at + 1;
    const auto scan = find_closing_quote(begin, _end);
    if (!scan.is_closed) {
        return _is_input_end ? fail(line_fault::unterminated_string) : wait_for(awaited::quote, scan.at);
    }
    _at = scan.at + 1;
    if (!take_delimiter(delimiter)) {
        return false;
    }
    std::string_view text(begin, scan.at);
    _has_high_bytes |= scan.has_high_bytes;
    _inner_breaks += static_cast<uint64_t>(std::ranges::count(text, '\n'));
    if (scan.has_backslash) {
        text = _point.texts().unescape(text, string_escapes);
    }
    return add_field(name, tables::value::of_string(text));
}

// What may follow a string: a comma, a space or the end of the line.
bool line_reader::take_delimiter(char& delimiter) {
    bool is_line_end = false;
    if (!take_line_break(is_line_end)) {
        return false;
    }
    if (is_line_end) {
        delimiter = '\n';
        return true;
    }
    if (*_at != ',' && *_at != ' ') {
        return fail(line_fault::text_after_string);
    }
    delimiter = *_at++;
    _scanner.seek(_at);
    return true;
}

bool line_reader::read_time() {
    bool is_line_end = false;
    if (!skip_blanks() || !take_line_break(is_line_end) || is_line_end) {
        return is_line_end;
    }
    token t;
    if (!take(t)) {
        return false;
    }
    if (t.delimiter == '\n') {
        trim_carriage_return(t.text);
    }
    const auto time = parse_int64(t.text);
    if (t.delimiter == ',' || t.delimiter == '=' || (!time && time.error() == line_fault::invalid_value)) {
        return fail(line_fault::invalid_time);
    }
    int64_t ns = 0;
    if (!time || __builtin_mul_overflow(*time, _ns_per_unit, &ns)) {
        return fail(line_fault::time_out_of_range);
    }
    _point.set_time(ns);
    if (t.delimiter == '\n') {
        return true;
    }
    if (!skip_blanks() || !take_line_break(is_line_end)) {
        return false;
    }
    return is_line_end || fail(line_fault::text_after_time);
}

// Reads up to the next delimiter that no backslash precedes, and takes that too.
template <line_reader::equals_sign Equals>
bool line_reader::take(token& t) {
    const char* const begin = _at;
    for (;;) {
        const char* const delimiter = _scanner.next();
        if (delimiter == _end) {
            t = {{begin, _end}, '\n'};
            _at = _end;
            return _is_input_end || wait_for_line_break();
        }
        if (Equals == equals_sign::is_text && *delimiter == '=') {
            continue;
        }
        if (delimiter != begin && delimiter[-1] == '\\' && *delimiter != '\n') {
            continue;
        }
        t = {{begin, delimiter}, *delimiter};
        _at = delimiter + 1;
        return true;
    }
}

bool line_reader::skip_blanks() {
    const char* const begin = _at;
    while (_at != _end && (*_at == ' ' || *_at == '\t')) {
        ++_at;
    }
    if (_at != begin) {
        _scanner.seek(_at);
    }
    return _at != _end || _is_input_end || wait_for_line_break();
}

// False only when it takes more bytes to tell.
bool line_reader::take_line_break(bool& is_there) {
    const auto left = _end - _at;
    if (left > 0 && *_at == '\n') {
        ++_at;
        is_there = true;
    } else if (left > 1 && *_at == '\r' && _at[1] == '\n') {
        _at += 2;
        is_there = true;
    } else if (left == 0 || (left == 1 && *_at == '\r')) {
        is_there = _is_input_end;
        _at = is_there ? _end : _at;
        return is_there || wait_for_line_break();
    }
    return true;
}

bool line_reader::fail(line_fault fault) {
    _outcome = outcome::fault;
    _fault = fault;
    return false;
}

bool line_reader::wait_for(awaited what, const char* looked_at) {
    _outcome = outcome::incomplete;
    _awaits = what;
    _looked_at = static_cast<size_t>(looked_at - _begin);
    return false;
}

std::string_view line_reader::resolve_escapes(std::string_view text, std::string_view escapable) {
    return text.contains('\\') ? _point.texts().unescape(text, escapable) : text;
}

bool line_reader::has_valid_text() const {
    return !(_has_high_bytes || _scanner.has_high_bytes()) || simdjson::validate_utf8(_begin, length());
}

} // namespace ingest
