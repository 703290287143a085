// Finds the records in the bytes of one log file. Bytes come in with feed(), in order and in pieces of any size; records go out
// with next(). Nothing between two records is believed or even looked at: whatever is not the header of a record made for that
// very place (padding, the rest of a torn write, what a recycled file held before, damage) is stepped over, 8 bytes at a time.
// So one bad byte costs the record it lies in and no other. What a hole *means* is for wal_reader to say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shard/core/wal_record.hh"

namespace shard {

class wal_scanner {
public:
    enum class payloads {
        check,
        skip, // headers only: is_intact says nothing and the payload is empty
    };

    struct found {
        uint64_t position = 0;
        wal_record_header header;
        std::string_view payload; // until the next call of feed()
        bool is_intact = false;   // the payload passes its checksum
        uint64_t end() const { return position + header.record_bytes(); }
    };

    // Looks at positions [begin, end) of the file with this seed.
    wal_scanner(uint64_t seed, uint64_t begin, uint64_t end, payloads);

    // The position of the next byte to be fed.
    uint64_t wanted() const { return _start + _bytes.size(); }
    bool is_done() const { return _position + wal_record_head_bytes > _end; }

    void feed(std::string_view bytes);
    // There are no bytes from wanted() on: the file is shorter than was thought.
    void finish();
    // Nothing: feed more, unless is_done().
    std::optional<found> next();

private:
    std::string_view at(uint64_t position, size_t count) const {
        return std::string_view(_bytes).substr(position - _start, count);
    }

    uint64_t _seed;
    payloads _payloads;
    uint64_t _position; // where the next record may begin
    uint64_t _end;
    // Bytes [_start, wanted()). In one piece, and as long as the longest record: logs are read at start, before memory is
    // fragmented, and by tools.
    std::string _bytes;
    uint64_t _start;
};

} // namespace shard
