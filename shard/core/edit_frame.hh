// The bytes of an edit log's files: one header block, then frames one behind the other, then zeros. See ../FORMAT.md.
//
// A frame proves itself: both of its checksums are seeded with the log's id and the generation of the file, so that bytes left
// by an earlier use of the file, or belonging to another log, are not taken for frames. Its head has a checksum of its own, so
// that a length is believed before the bytes it spans are touched, and a scan for the next frame after damage is cheap.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hh"

namespace shard {

constexpr uint32_t edit_log_version = 1;
// The header has a block of its own: it is never written again while frames are added. Also the unit of writing.
constexpr size_t edit_block_bytes = 4096;
constexpr size_t edit_frame_head_bytes = 32;
// Frames begin at multiples of this.
constexpr size_t edit_frame_alignment = 8;
// One edit is decoded in one go and held in one string; a larger change belongs into several edits or a file of its own.
constexpr size_t edit_bytes_max = 1 << 20;

struct edit_header {
    uint64_t log_id = 0;         // random, for the life of the log
    uint64_t generation = 0;     // goes up with every rewrite
    uint64_t snapshot_count = 0; // edits 1 to this were durable in both copies before the header was written

    bool operator==(const edit_header&) const = default;
};

std::string encode_edit_header(const edit_header&);
// Errors: corrupt, newer_format.
base::expected<edit_header> parse_edit_header(std::string_view block);

uint64_t edit_seed(const edit_header&);

struct edit_frame {
    uint64_t number = 0;  // 1, 2, 3... within a generation
    uint64_t durable = 0; // edits up to this number were durable in both copies when this one was written
    std::string_view edit;

    size_t frame_bytes() const;
};

// Needs edit.size() <= edit_bytes_max.
void put_edit_frame(std::string& out, uint64_t seed, const edit_frame&);
// The frame at the front of `bytes`, which it borrows; nothing when there is none that proves itself.
std::optional<edit_frame> parse_edit_frame(std::string_view bytes, uint64_t seed);

} // namespace shard
