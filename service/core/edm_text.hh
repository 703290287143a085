// The texts of typed values: what stands in JSON strings and numbers, read and written.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "service/core/text_sink.hh"
#include "tables/core/value.hh"

namespace service {

// "Edm.Int32" and so on; nothing for another name.
std::optional<tables::value_type> edm_type_of(std::string_view name);
std::string_view edm_name(tables::value_type);

// Each reads the whole text or nothing.

// Decimal digits, a minus before them at most.
std::optional<int64_t> parse_integer(std::string_view);
// A decimal number; nothing when it is too large for a double. One too small is a zero.
std::optional<double> parse_finite(std::string_view);
// parse_finite(), or one of NaN, Infinity, -Infinity in exactly this spelling.
std::optional<double> parse_real(std::string_view);
// In any case of letters.
std::optional<bool> parse_boolean(std::string_view);
// YYYY-MM-DDThh:mm:ss, a fraction or none, Z, an offset or nothing. May lie before 1601.
std::optional<base::tick> parse_datetime(std::string_view);
// 8-4-4-4-12 hexadecimal digits in any case.
std::optional<tables::guid> parse_guid(std::string_view);

// Lower case.
void put_guid(text_sink&, const tables::guid&);

} // namespace service
