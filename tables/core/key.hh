// PartitionKeys and RowKeys. Outside they are UTF-8 text and sort by UTF-16 unit; inside they are *collated*: the same bytes
// with the lead bytes permuted one to one, so that memcmp gives that order.
//
//   lead byte   what it begins                     collated
//   00..ED      U+0000..D7FF                       unchanged
//   F0..F4      U+10000..10FFFF (surrogates)       EE..F2
//   EE..EF      U+E000..FFFF                       F3..F4
//
// The two forms have the same length and are equal for all but a few keys. Everything in this module that is called `pk`,
// `rk`, partition_key or row_key is collated, unless its comment says that it is what the client wrote.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hh"
#include "base/ticks.hh"
#include "tables/core/unicode.hh"

namespace tables {

constexpr size_t key_units_max = 512;
// What key_units_max units can take in UTF-8: three bytes each (a surrogate pair takes four for its two).
constexpr size_t key_bytes_max = 3 * key_units_max;

std::string collate(std::string_view text);
std::string uncollate(std::string_view collated);
// Without a copy where the two forms are equal: the result borrows `text`, or else `scratch`.
std::string_view collate(std::string_view text, std::string& scratch);
std::string_view uncollate(std::string_view collated, std::string& scratch);

// For a key as a client wrote it. key_too_long: over 512 units. key_invalid: not UTF-8, or one of / \ # ?, U+0000..1F,
// U+007F..9F.
base::expected<void> check_key(std::string_view text);

// A row key seen as a number where it has one: log-tail keys begin with a 19-digit inverted tick. Borrows the key.
struct row_key_parts {
    std::optional<base::tick> tick;
    std::string_view suffix; // what follows the tick; the whole key without one
};

row_key_parts split_row_key(std::string_view collated);

} // namespace tables
