// One record as bytes of the log and of buffers: row by row, since it is written at once and most often read once.
//
//   record    = level u8, time zigzag varint, host bytes, app bytes, text bytes, part (the message), fields count varint, *field
//   part      = 1 + begin in the text varint, size varint / 0, bytes         as in part_columns.hh: inside the text, or apart
//   field     = name bytes, type u8, value
//   value     = part (string) / bytes (binary) / 16 bytes (guid) / u8 (boolean) / u64 (double) / zigzag varint (all others)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/coding.hh"
#include "blobs/core/limits.hh"
#include "blobs/core/record.hh"

namespace blobs {

// Lane and sequence are not in it. Needs: a record within the limits.
void put_record(const record&, std::string& out);

// Borrows from the bytes; `fields` is replaced, and what the record's fields are in. The reader has failed when this is no
// record within the limits.
record take_record(base::byte_reader&, std::vector<base::property>& fields);

// What a record has beside its text; a message that is part of it does not count.
size_t side_bytes(const record&);
// Whether a record can be stored at all.
bool is_within_limits(const record&);

} // namespace blobs
