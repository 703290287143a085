// Names of the tables of a family: a stem, and the digits of the period's start (cpu20261116). The stem is the letters and digits
// of the family's name; with a hash behind it where those are not the whole name, or another family has the same stem. Names of
// tables do not tell a family for sure: the catalog has the real name.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/ticks.hh"
#include "tables/core/limits.hh"
#include "tables/core/period.hh"

namespace ingest {

constexpr size_t start_digits_max = 10;
constexpr size_t stem_bytes_max = tables::table_name_max - start_digits_max;

// Letters and digits of the name, beginning with a letter (an f is put before a digit), shortened to stem_bytes_max.
std::string plain_stem(std::string_view family);
// The plain stem, shortened further if it must be, an x and eight hex digits of the name's hash.
std::string hashed_stem(std::string_view family, uint64_t salt = 0);

// Which of them a new family gets. `is_taken` is asked about stems in lower case, since table names that differ only in case are
// the same: true when another family has that one.
std::string choose_stem(std::string_view family, const std::function<bool(std::string_view lower_stem)>& is_taken);
std::string lower_stem(std::string_view stem);

// The table for the period that holds the tick.
std::string table_name(std::string_view stem, tables::period_kind, base::tick t);
// The start of the period whose table this is, in any case of letters; nothing when it is not one of this stem.
std::optional<base::tick> period_of_table(std::string_view table, std::string_view stem, tables::period_kind);

} // namespace ingest
