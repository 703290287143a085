// Numbers of text protocols, read exactly: the nearest double, or the whole integer, or a reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string_view>

#include "base/value.hh"
#include "ingest/core/line_fault.hh"

namespace ingest {

// [-] digits [. digits] [e [sign] digits], at least one digit before or after the point. No hex, no infinity, no NaN, no '+'.
// value_out_of_range when too large for a double; one too small is a zero.
// `readable_behind` bytes behind the text can be read, too; they have no influence, but spare a copy.
std::expected<double, line_fault> parse_real(std::string_view text, size_t readable_behind = 0);

// A field as most lines have it, its end found on the way: [-] digits [. digits] of at most 19 digits, or [-] digits i of at most
// 15. The bytes it has; 0 when it is anything else, which parse_real() or parse_int64() may still read. What stands behind it is
// the caller's to look at. Needs so many readable bytes, whatever they are.
constexpr size_t plain_number_bytes = 32;
size_t take_plain_number(const char* text, base::value& value);

// [-] digits, within 64 bits.
std::expected<int64_t, line_fault> parse_int64(std::string_view text);

// digits, within 63 bits: unsigned_out_of_range from 2^63 to 2^64 - 1, value_out_of_range above.
std::expected<int64_t, line_fault> parse_unsigned(std::string_view text);

} // namespace ingest
