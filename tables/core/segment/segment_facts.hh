// What is known of a segment as a whole: the head of its footer, and what a manifest repeats.
//
//   facts     = table varint, rows, merges, removes, text keys, partitions (counts, varint each), sequences min and max varint,
//               timestamps min and max u64, newest and oldest tick u64 (-1: no time keys), slots 32 bytes
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/coding.hh"
#include "base/ids.hh"
#include "base/placement.hh"
#include "base/ticks.hh"

namespace tables {

// Some of the slots: those a segment has partitions of, say.
class slot_set {
public:
    void add(uint8_t slot) { _bits[slot / 64] |= uint64_t{1} << (slot % 64); }
    bool has(uint8_t slot) const { return (_bits[slot / 64] >> (slot % 64) & 1) != 0; }
    bool is_empty() const { return *this == slot_set(); }
    void add(const slot_set&);
    void remove(const slot_set&);
    const std::array<uint64_t, base::slots_count / 64>& bits() const { return _bits; }

    bool operator==(const slot_set&) const = default;

    void encode(std::string& out) const;
    // The reader has failed when the bytes are too few.
    static slot_set take(base::byte_reader&);

private:
    std::array<uint64_t, base::slots_count / 64> _bits{};
};

struct segment_facts {
    base::table_id table;
    uint64_t rows_count = 0;
    uint64_t merges_count = 0;
    uint64_t removes_count = 0;
    uint64_t text_keys_count = 0; // rows whose key does not begin with a time
    uint64_t partitions_count = 0;
    base::sequence sequence_min;
    base::sequence sequence_max;
    base::tick timestamp_min; // of the rows' Timestamps
    base::tick timestamp_max;
    std::optional<base::tick> newest; // of the time keys
    std::optional<base::tick> oldest;
    slot_set slots;

    bool operator==(const segment_facts&) const = default;

    void encode(std::string& out) const;
    // The reader has failed when the bytes are not facts.
    static segment_facts take(base::byte_reader&);
};

} // namespace tables
