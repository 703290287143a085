// The canonical text of a tag set: the PartitionKey of a family's rows, and what a series is called.
//
//   series = [name=value *(,name=value)]       tags sorted by the bytes of their names; no tags: the empty text
//
// What a key cannot hold (/ \ # ?, U+0000..1F, U+007F..9F) and what has a meaning in or behind a series (% , = ~) is written
// byte by byte as %XX, in upper case. Equal tag sets have equal texts, and every text leads back to its tags.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_arena.hh"
#include "tables/core/family/tag.hh"
#include "tables/core/key.hh"

namespace tables {

// UTF-16 units of a series. Three stay free in the key, for the suffix of a spread one (spread.hh).
constexpr size_t series_units_max = key_units_max - 3;

// Appends the series of the tags. False when it is too long; `out` is then as it was. Needs: UTF-8, at most tags_max tags, no
// name twice, none empty.
bool append_series(std::span<const tag> tags, std::string& out);

// True when the tags as they were sent (the bytes of whatever protocol) are their series just as they are: in that form, sorted,
// with nothing to escape. Never true by mistake; says no to some that are, with letters beyond ASCII.
bool is_series(std::string_view raw, std::span<const tag> tags);

// The way back: false when `series` is no such text. The tags borrow from it, and from `texts` where they were escaped.
bool parse_series(std::string_view series, std::vector<tag>& tags, base::text_arena& texts);

} // namespace tables
