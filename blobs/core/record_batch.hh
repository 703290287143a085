// Records as the payload of a log record: of one or more sources, compressed where that pays. There is no checksum inside: the
// log record that carries a batch has one.
//
//   batch     = version u8, how u8, raw size varint, body          how: 0 as it is, 1 a zstd frame
//   body      = *group
//   group     = source bytes, lane varint, first sequence varint, records count varint, *record (record_code.hh)
//
// The records of a group have consecutive sequences.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hh"
#include "blobs/core/record_code.hh"
#include "blobs/core/zstd_frame.hh"

namespace blobs {

// What the log calls a record that carries a batch. Never to be given to anything else.
constexpr uint8_t batch_record_kind = 2;

class record_batch_builder {
public:
    // The records that follow are of this source and lane, with sequences from this one on.
    void begin_group(std::string_view source, uint32_t lane, uint64_t first_sequence);
    // Needs: a group; a record within its limits. Its lane and sequence are not looked at.
    void add(const record&);
    bool is_empty() const { return _records_count == 0; }
    // More would risk to exceed what a log record carries.
    bool is_full() const {
        return _body.size() + _group.size() + record_bytes_max > batch_bytes_max || _records_count == batch_records_max;
    }
    size_t raw_bytes() const { return _body.size() + _group.size(); }

    // Appends the batch and begins anew. Gives its body, for who needs the records at once.
    std::string finish(zstd_compressor&, std::string& out);

private:
    void end_group();

    std::string _body;
    std::string _group_head;
    std::string _group; // its records
    uint64_t _group_count = 0;
    uint64_t _records_count = 0;
};

// Called for each record, in the order they were added; all is good during the call. `coded` is the record as record_code.hh has
// it.
using batch_visitor = std::function<void(std::string_view source, const record&, std::string_view coded)>;

// corrupt, with nothing visited, when this is not a batch or exceeds a bound. `scratch` keeps what is decompressed.
base::expected<void> read_batch(std::string_view batch, zstd_decompressor&, std::string& scratch, const batch_visitor&);
// The records of a body that a builder of this process has given.
void visit_body(std::string_view body, const batch_visitor&);

} // namespace blobs
