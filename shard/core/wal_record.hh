// The bytes of the log (FORMAT.md, "Log"): names of its files, the header of a file, the header in front of each record.
// Both headers are tied to their place: a record's checksum is seeded with the file's identity and the record's position, so
// what an earlier life of a recycled file left behind never passes, and neither does a record at a place it was not made for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hh"
#include "base/ids.hh"

namespace shard {

// Everything is written in whole blocks of this size, whatever smaller unit the disk would take: FORMAT.md fixes it.
constexpr size_t wal_block_bytes = 4096;
// Two copies of the file header, one block each: one damaged block must not cost a whole file its identity.
constexpr size_t wal_head_bytes = 2 * wal_block_bytes;
// A record begins at a multiple of this. The reader tries each of them when it has lost its way.
constexpr size_t wal_record_alignment = 8;
constexpr size_t wal_record_head_bytes = 41;
// What a record may carry. The reader must hold one record in one piece, and twice a transaction's 4 MiB is enough.
constexpr size_t wal_payload_bytes_max = 8 << 20;
constexpr uint32_t wal_version = 1;

// What a record means. 0 is the log's own; the engines give out the others, and a number is never given out again.
enum class record_kind : uint8_t {
    end_mark = 0, // written by an orderly stop: nothing follows, and all before it was durable
};

// Which file this is. No two files of a store ever share all four.
struct wal_file_id {
    uint64_t store = 0;
    uint64_t epoch = 0; // of the server's start; grows with each
    uint32_t shard = 0;
    uint64_t number = 0; // grows within a shard, across epochs; from 1

    bool operator==(const wal_file_id&) const = default;
    // What the checksums of its records begin with.
    uint64_t seed() const;
};

// "SSS-NNNNNNNNNNNN.log"
std::string wal_file_name(uint32_t shard, uint64_t number);
struct wal_file_name_parts {
    uint32_t shard = 0;
    uint64_t number = 0;
};
// Nothing for any other name.
std::optional<wal_file_name_parts> parse_wal_file_name(std::string_view);

struct wal_file_header {
    wal_file_id id;
    base::sequence first;         // of its first record; all before it was durable when this file was begun
    uint64_t previous_number = 0; // of the file that the log continues from; 0: none in this epoch
    uint64_t previous_end = 0;    // where that file's last record ends, rounded up to a block

    bool operator==(const wal_file_header&) const = default;
};

// Writes both copies: wal_head_bytes from `out` on.
void encode_file_header(const wal_file_header&, char* out);
// One copy, wal_block_bytes long. `corrupt` when it does not pass, `newer_format` when it passes and is not ours to read.
base::expected<wal_file_header> decode_file_header(std::string_view block);

struct wal_record_header {
    uint32_t payload_bytes = 0;
    uint32_t sequences_count = 0; // 0 only in an end mark
    uint64_t payload_checksum = 0;
    base::sequence first;
    // All up to here was on stable storage when this record was written: the end of the group before its own.
    base::sequence durable;
    record_kind kind{};

    bool operator==(const wal_record_header&) const = default;
    size_t record_bytes() const { return wal_record_head_bytes + payload_bytes; }
    // The sequence after its last one.
    base::sequence next() const { return {first.value + sequences_count}; }
};

using wal_record_head = std::array<char, wal_record_head_bytes>;
// `seed` is the file's, `position` where in it the record begins.
wal_record_head encode_record_header(const wal_record_header&, uint64_t seed, uint64_t position);
// Nothing when these are not the bytes of a record made for this place. A length that comes back is a length to be trusted.
std::optional<wal_record_header> decode_record_header(std::string_view bytes, uint64_t seed, uint64_t position);

// Of all the pieces as one run of bytes.
uint64_t wal_payload_checksum(std::span<const std::string_view> pieces);

constexpr uint64_t wal_align(uint64_t position, uint64_t unit) {
    return (position + unit - 1) / unit * unit;
}

} // namespace shard
