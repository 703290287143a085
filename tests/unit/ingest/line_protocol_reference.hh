// Line protocol read the slow and obvious way: the whole input at hand, byte by byte, texts copied. What the fast parser says
// must be what this one says.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "ingest/core/limits.hh"
#include "tables/core/unicode.hh"
#include "tests/unit/ingest/point_text.hh"

namespace ingest_test {

class line_protocol_reference {
public:
    explicit line_protocol_reference(int64_t ns_per_unit) : _ns_per_unit(ns_per_unit) {}

    std::vector<std::string> read(const std::string& input) {
        std::vector<std::string> said;
        _input = input;
        _at = 0;
        uint64_t line = 1;
        while (skip_to_line(line)) {
            const size_t begin = _at;
            const auto fault = read_line();
            if (fault != ingest::line_fault::none) {
                said.push_back(fault_text({line, fault}));
                _at = std::min(_input.find('\n', begin), _input.size() - 1) + 1;
            } else {
                said.push_back(point_text());
            }
            for (size_t i = begin; i < _at; ++i) {
                line += _input[i] == '\n' ? 1 : 0;
            }
        }
        return said;
    }

private:
    using fault = ingest::line_fault;

    struct field {
        std::string name;
        std::string value;
    };

    bool is_end() const { return _at == _input.size(); }
    // A line break stands behind the last byte, too.
    char here() const { return is_end() ? '\n' : _input[_at]; }
    bool is_line_break() const {
        return here() == '\n' || (here() == '\r' && (_at + 1 == _input.size() || _input[_at + 1] == '\n'));
    }
    void take_line_break() {
        _at += here() == '\r' ? 1 : 0;
        _at += is_end() ? 0 : 1;
    }

    bool skip_to_line(uint64_t& line) {
        for (; !is_end(); ++_at) {
            if (here() == '#') {
                while (here() != '\n') {
                    ++_at;
                }
            }
            if (is_end()) {
                return false;
            }
            if (here() == '\n') {
                ++line;
            } else if (here() != '\r' && here() != ' ' && here() != '\t') {
                return true;
            }
        }
        return false;
    }

    fault read_line() {
        _family.clear();
        _tags.clear();
        _fields.clear();
        _time.reset();
        const size_t begin = _at;
        if (const auto found = read_parts(); found != fault::none) {
            return found;
        }
        return tables::is_utf8(std::string_view(_input).substr(begin, _at - begin)) ? fault::none : fault::not_utf8;
    }

    fault read_parts() {
        _family = text_up_to(", \n", ", ");
        if (_family.empty()) {
            return fault::missing_family;
        }
        if (_family.size() > ingest::family_name_bytes_max) {
            return fault::family_name_too_long;
        }
        while (here() == ',') {
            ++_at;
            if (const auto found = read_tag(); found != fault::none) {
                return found;
            }
        }
        if (here() == '\n') {
            return fault::missing_fields;
        }
        skip_blanks();
        if (is_line_break()) {
            return fault::missing_fields;
        }
        do {
            if (const auto found = read_field(); found != fault::none) {
                return found;
            }
        } while (here() == ',' && ++_at);
        return read_time();
    }

    fault read_tag() {
        const auto name = text_up_to(",= \n", ",= ");
        if (here() != '=') {
            return name.empty() ? fault::missing_tag_name : fault::missing_tag_value;
        }
        ++_at;
        const auto value = text_up_to(",= \n", ",= ");
        if (here() == '=') {
            return fault::invalid_tag;
        }
        if (name.empty()) {
            return fault::missing_tag_name;
        }
        if (value.empty()) {
            return fault::missing_tag_value;
        }
        if (name.size() > ingest::tag_name_bytes_max) {
            return fault::tag_name_too_long;
        }
        if (_tags.size() == ingest::tags_max) {
            return fault::too_many_tags;
        }
        for (const auto& t : _tags) {
            if (t.name == name) {
                return fault::duplicate_tag;
            }
        }
        _tags.push_back({name, value});
        return fault::none;
    }

    fault read_field() {
        const auto name = text_up_to(",= \n", ",= \"");
        if (here() != '=') {
            return name.empty() ? fault::missing_field_name : fault::missing_field_value;
        }
        ++_at;
        std::string value;
        const auto found = here() == '"' ? read_string(value) : read_bare_value(value);
        if (found != fault::none) {
            return found;
        }
        if (name.empty()) {
            return fault::missing_field_name;
        }
        if (name.size() > ingest::field_name_bytes_max) {
            return fault::field_name_too_long;
        }
        for (auto& f : _fields) {
            if (f.name == name) {
                f.value = value;
                return fault::none;
            }
        }
        if (_fields.size() == ingest::fields_max) {
            return fault::too_many_fields;
        }
        _fields.push_back({name, value});
        return fault::none;
    }

    fault read_string(std::string& value) {
        std::string text;
        for (++_at; !is_end() && here() != '"'; ++_at) {
            if (here() == '\\' && _at + 1 < _input.size()) {
                const char next = _input[_at + 1];
                if (next != '"' && next != '\\') {
                    text += '\\';
                }
                ++_at;
            }
            text += here();
        }
        if (is_end()) {
            return fault::unterminated_string;
        }
        ++_at;
        if (here() != ',' && here() != ' ' && !is_line_break()) {
            return fault::text_after_string;
        }
        value = value_text(tables::value::of_string(text));
        return fault::none;
    }

    fault read_bare_value(std::string& value) {
        auto text = text_up_to(",= \n", "");
        if (here() == '\n' && text.ends_with('\r')) {
            text.pop_back();
        }
        if (text.empty()) {
            return fault::missing_field_value;
        }
        if (here() == '=') {
            return fault::invalid_value;
        }
        if (text == "t" || text == "T" || text == "true" || text == "True" || text == "TRUE") {
            value = "true";
        } else if (text == "f" || text == "F" || text == "false" || text == "False" || text == "FALSE") {
            value = "false";
        } else if (text.ends_with('i') || text.ends_with('u')) {
            return read_integer(text, value);
        } else {
            return read_real(text, value);
        }
        return fault::none;
    }

    static bool is_all_digits(const std::string& text) {
        return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    }

    static fault read_integer(std::string text, std::string& value) {
        const bool is_signed = text.ends_with('i');
        text.pop_back();
        if (!is_all_digits(is_signed && text.starts_with('-') ? text.substr(1) : text)) {
            return fault::invalid_value;
        }
        errno = 0;
        if (is_signed) {
            value = value_text(tables::value::of_int64(std::strtoll(text.c_str(), nullptr, 10)));
            return errno == ERANGE ? fault::value_out_of_range : fault::none;
        }
        const auto magnitude = std::strtoull(text.c_str(), nullptr, 10);
        if (errno == ERANGE) {
            return fault::value_out_of_range;
        }
        value = value_text(tables::value::of_int64(static_cast<int64_t>(magnitude)));
        return magnitude > INT64_MAX ? fault::unsigned_out_of_range : fault::none;
    }

    static fault read_real(const std::string& text, std::string& value) {
        // What strtod takes and line protocol does not: signs, blanks, hex, words.
        const size_t first = text.starts_with('-') ? 1 : 0;
        if (text.find_first_not_of("0123456789.eE+-") != text.npos || text.find_first_of("0123456789.") != first) {
            return fault::invalid_value;
        }
        char* end = nullptr;
        const double number = std::strtod(text.c_str(), &end);
        if (end != text.c_str() + text.size()) {
            return fault::invalid_value;
        }
        value = value_text(tables::value::of_real(number));
        return number - number != 0 ? fault::value_out_of_range : fault::none;
    }

    fault read_time() {
        if (is_line_break()) {
            take_line_break();
            return fault::none;
        }
        skip_blanks();
        if (is_line_break()) {
            take_line_break();
            return fault::none;
        }
        auto text = text_up_to(",= \n", "");
        if (here() == '\n' && text.ends_with('\r')) {
            text.pop_back();
        }
        if (here() == ',' || here() == '=' || !is_all_digits(text.starts_with('-') ? text.substr(1) : text)) {
            return fault::invalid_time;
        }
        errno = 0;
        const __int128 ns = static_cast<__int128>(std::strtoll(text.c_str(), nullptr, 10)) * _ns_per_unit;
        if (errno == ERANGE || ns > INT64_MAX || ns < INT64_MIN) {
            return fault::time_out_of_range;
        }
        _time = static_cast<int64_t>(ns);
        skip_blanks();
        if (!is_line_break()) {
            return fault::text_after_time;
        }
        take_line_break();
        return fault::none;
    }

    void skip_blanks() {
        while (here() == ' ' || here() == '\t') {
            ++_at;
        }
    }

    // Up to a byte of `stops` without a backslash before it. A backslash before one of `escapable` is left out.
    std::string text_up_to(std::string_view stops, std::string_view escapable) {
        std::string text;
        bool is_escaped = false;
        for (; here() != '\n'; ++_at) {
            if (!is_escaped && stops.contains(here())) {
                break;
            }
            if (is_escaped && escapable.contains(here())) {
                text.pop_back();
            }
            is_escaped = here() == '\\';
            text += here();
        }
        return text;
    }

    std::string point_text() const {
        std::string text = fmt::format("{:?} [", _family);
        for (const auto& t : _tags) {
            text += fmt::format("{:?}={:?} ", t.name, t.value);
        }
        text += "] {";
        for (const auto& f : _fields) {
            text += fmt::format("{:?}:{} ", f.name, f.value);
        }
        text += "}";
        return _time ? text + fmt::format(" @{}", *_time) : text;
    }

    int64_t _ns_per_unit;
    std::string _input;
    size_t _at = 0;
    std::string _family;
    std::vector<field> _tags;
    std::vector<field> _fields;
    std::optional<int64_t> _time;
};

} // namespace ingest_test
