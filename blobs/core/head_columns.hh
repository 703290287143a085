// What every record of a block has beside its text: order, level, host, app.
//
//   heads     = numbers of the times, of the lanes, of the sequences, of the levels; names of the hosts, of the apps
#pragma once

#include <cstdint>
#include <vector>

#include "blobs/core/name_column.hh"
#include "blobs/core/record.hh"

namespace blobs {

class head_columns_writer {
public:
    void add(const record&);
    void encode(number_writer&, block_streams& out) const;
    void clear();

    const name_column_writer& hosts() const { return _hosts; }
    const name_column_writer& apps() const { return _apps; }

private:
    std::vector<uint64_t> _times;
    std::vector<uint64_t> _lanes;
    std::vector<uint64_t> _sequences;
    std::vector<uint64_t> _levels;
    name_column_writer _hosts;
    name_column_writer _apps;
};

// Borrows the streams' bytes; reused from block to block.
class head_columns {
public:
    // A failure is that of a stream, also when the records are not in their order or a level is none.
    void take(size_t count, stream_readers&);

    record_order order(size_t i) const {
        return {static_cast<int64_t>(_times[i]), static_cast<uint32_t>(_lanes[i]), _sequences[i]};
    }
    int64_t time_ns(size_t i) const { return static_cast<int64_t>(_times[i]); }
    uint8_t level(size_t i) const { return static_cast<uint8_t>(_levels[i]); }
    const name_column& hosts() const { return _hosts; }
    const name_column& apps() const { return _apps; }

private:
    std::vector<uint64_t> _times;
    std::vector<uint64_t> _lanes;
    std::vector<uint64_t> _sequences;
    std::vector<uint64_t> _levels;
    name_column _hosts;
    name_column _apps;
};

} // namespace blobs
