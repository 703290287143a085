// Records as the payload of a log record: of one or more sources, compressed where that pays. There is no checksum inside: the
// log record that carries a batch has one.
//
//   batch     = version u8, how u8, raw size varint, body          how: 0 as it is, 1 a zstd frame
//   body      = *group
//   group     = source bytes, lane varint, first sequence varint, records count varint, *record (record_code.hh)
//
// The records of a group have consecutive sequences.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.hh"
#include "blobs/core/record_code.hh"
#include "blobs/core/zstd_frame.hh"

namespace blobs {

// What the log calls a record that carries a batch. Never to be given to anything else.
constexpr uint8_t batch_record_kind = 2;

// Sources may take turns: the records of each go together, in the order they came.
class record_batch_builder {
public:
    record_batch_builder() { _recent.fill(none); }

    // The records that follow are of this source and lane, with sequences from this one on: the last of its groups where they go
    // on with it, else a new one.
    void begin_group(std::string_view source, uint32_t lane, uint64_t first_sequence);
    // Needs: a group; a record within its limits. Its lane and sequence are not looked at.
    void add(const record&);
    bool is_empty() const { return _records.empty(); }
    // More would risk to exceed what a log record carries.
    bool is_full() const { return raw_bytes() + record_bytes_max > batch_bytes_max || _records.size() == batch_records_max; }
    size_t raw_bytes() const { return _coded.size() + _heads_bytes; }

    // Appends the batch and begins anew. Gives its body, for who needs the records at once.
    std::string finish(zstd_compressor&, std::string& out);

private:
    static constexpr uint32_t none = UINT32_MAX;

    struct coded_record {
        uint32_t end = 0;     // in _coded; it begins where the one before it ends
        uint32_t next = none; // of its group
    };
    struct group {
        std::string source;
        uint32_t lane = 0;
        uint64_t first_sequence = 0;
        uint32_t count = 0;
        uint32_t first = none; // of _records
        uint32_t last = none;
    };
    struct name_hash {
        using is_transparent = void;
        size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
    };
    static bool goes_on(const group&, uint32_t lane, uint64_t sequence);
    uint32_t last_group_of(std::string_view source) const;
    void put_group(const group&, std::string& body) const;

    std::string _coded; // in the order they came
    std::string _frame; // scratch
    std::vector<coded_record> _records;
    std::vector<group> _groups;
    std::unordered_map<std::string, uint32_t, name_hash, std::equal_to<>> _last_groups; // of each source
    std::array<uint32_t, 64> _recent;                                                   // groups, by name_place
    uint32_t _open = none;                                                              // the group that records are added to
    size_t _heads_bytes = 0;                                                            // of the groups, about
};

// Called for each record, in the order of the batch; all is good during the call. `coded` is the record as record_code.hh has
// it.
using batch_visitor = std::function<void(std::string_view source, const record&, std::string_view coded)>;

// corrupt, with nothing visited, when this is not a batch or exceeds a bound. `scratch` keeps what is decompressed.
base::expected<void> read_batch(std::string_view batch, zstd_decompressor&, std::string& scratch, const batch_visitor&);
// The records of a body that a builder of this process has given.
void visit_body(std::string_view body, const batch_visitor&);

} // namespace blobs
