// One line of line protocol, read from left to right into a point_builder. What is found wrong with a line depends only on its
// bytes up to the place where it is found, never on how the input was cut into pieces.
#pragma once

#include <cstdint>
#include <string_view>

#include "ingest/core/delimiter_scanner.hh"
#include "ingest/core/line_fault.hh"
#include "ingest/core/line_step.hh"
#include "ingest/core/point_builder.hh"
#include "ingest/core/series_cache.hh"

namespace ingest {

// What a line that is not all there needs before it can be complete.
enum class awaited : uint8_t { nothing, line_break, quote };

class line_reader {
public:
    enum class outcome : uint8_t { point, fault, incomplete };

    // `window` begins with the line and may go on behind it. When the input ends with it, that ends the line as a line break
    // would. Tags that are in `known` (may be null) are taken from there.
    line_reader(point_builder& point, std::string_view window, input_end end, int64_t ns_per_unit, series_cache* known);

    // Once.
    outcome read();

    // Of a point: its bytes, line break included, and how many line breaks are inside its strings.
    size_t length() const { return static_cast<size_t>(_at - _begin); }
    uint64_t inner_breaks() const { return _inner_breaks; }

    line_fault fault() const { return _fault; }

    // Of an incomplete line: what must come, and how many of its bytes need not be looked at again for it.
    awaited awaits() const { return _awaits; }
    size_t looked_at() const { return _looked_at; }

private:
    struct token {
        std::string_view text; // without the delimiter
        char delimiter = '\n'; // at the end of the input, too
    };
    enum class equals_sign : uint8_t { delimits, is_text };

    // All return false when they cannot go on: _outcome says why.
    bool read_line();
    bool read_tags();
    bool take_known_tags();
    bool read_fields();
    void take_plain_fields(char& delimiter);
    bool read_field(char& delimiter);
    bool take_field_name(std::string_view& name);
    bool read_bare_value(std::string_view name, char& delimiter);
    bool add_bare_value(std::string_view name, std::string_view text);
    bool read_string(std::string_view name, char& delimiter);
    bool add_field(std::string_view name, const tables::value& value) {
        if (_is_name_known) [[likely]] {
            _point.fields().add_new(name, value);
            return true;
        }
        return check(_point.add_field(name, value));
    }
    bool read_time();
    bool take_delimiter(char& delimiter);
    bool take_line_break(bool& is_there);
    bool skip_blanks();
    template <equals_sign Equals = equals_sign::delimits>
    bool take(token&);

    bool fail(line_fault);
    bool check(line_fault fault) { return fault == line_fault::none || fail(fault); }
    bool wait_for(awaited, const char* looked_at);
    bool wait_for_line_break() { return wait_for(awaited::line_break, _end); }
    std::string_view resolve(std::string_view text, std::string_view escapable) {
        return _scanner.has_backslash() ? resolve_escapes(text, escapable) : text;
    }
    std::string_view resolve_escapes(std::string_view text, std::string_view escapable);
    bool has_valid_text() const;

    point_builder& _point;
    const char* const _begin;
    const char* _at; // the first byte not yet read
    const char* const _end;
    const bool _is_input_end;
    const int64_t _ns_per_unit;
    series_cache* const _known;
    field_names* _names = nullptr; // of a line before this one; so far this one has the same
    bool _is_name_known = false;   // the name of the field that is being read is one of those
    delimiter_scanner _scanner;    // has returned or skipped all delimiters before _at, and none behind
    bool _has_high_bytes = false;  // in strings; the scanner knows about the rest
    uint64_t _inner_breaks = 0;
    outcome _outcome = outcome::point;
    line_fault _fault = line_fault::none;
    awaited _awaits = awaited::nothing;
    size_t _looked_at = 0;
};

} // namespace ingest
