// Where a page ended, as a text for the client: everything the next page needs, so that the server keeps nothing and a cursor
// outlives it.
//
//   cursor = hex of: version u8 (2), checksum u32, request u64, start i64, end i64, time i64, kind u8,
//            origin bytes, table varint, partition key bytes, row key bytes, now i64  (bytes: varint length, then they)
//
// Version 1 ends before `now`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hh"
#include "query/core/native/position.hh"
#include "query/core/native/time_range.hh"

namespace query {

struct cursor {
    uint64_t request = 0;          // fingerprint of what was asked: a cursor goes on with that and nothing else
    time_range range;              // as it was when `now` was the time of the first page
    position last;                 // the last row that was delivered
    std::optional<int64_t> now_ns; // the time of the first page, which relative times are taken from; nothing: version 1

    bool operator==(const cursor&) const = default;
};

std::string encode_cursor(const cursor&);
base::expected<cursor> decode_cursor(std::string_view text);

} // namespace query
