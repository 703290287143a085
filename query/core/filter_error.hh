// Why a filter was refused. The message is what goes to the client, word for word; for the Table service it is the
// wording of table-service.md 5.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace query {

enum class filter_errc : uint8_t {
    syntax,          // not of the grammar
    not_utf8,        // the text is not valid UTF-8
    too_large,       // over a bound of filter_limits.hh
    not_implemented, // of the grammar, but not served: functions, name against name; the one kind that is a 501
    null_literal,    // nothing compares with null
    bad_value,       // not a time, not a level, or a function on a name that has no text
    bad_pattern,     // not an RE2 pattern, or too large a one
};

struct filter_error {
    filter_errc code;
    size_t position; // just after the offending token, in UTF-16 units as clients count them
    std::string message;

    bool operator==(const filter_error&) const = default;
};

} // namespace query
