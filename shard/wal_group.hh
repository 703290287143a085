// A group of the log: the records that one write and one flush make durable. It is collected in aligned pieces of memory, so
// that it goes to the disk without another copy; records run across the seams.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <seastar/core/chunked_fifo.hh>
#include <seastar/core/future.hh>
#include <seastar/core/semaphore.hh>
#include <seastar/core/temporary_buffer.hh>

#include "base/error.hh"
#include "base/ids.hh"
#include "shard/core/wal_record.hh"
#include "shard/wal_files.hh"

namespace shard {

// Pieces of memory that were used and will be used again: most groups need one, many times a second.
class wal_memory {
public:
    static constexpr size_t piece_bytes = 128 << 10;

    seastar::temporary_buffer<char> take(const file&);
    void give_back(seastar::temporary_buffer<char>);

private:
    static constexpr size_t spares_max = 8;
    std::vector<seastar::temporary_buffer<char>> _spares;
};

class wal_group {
public:
    using clock = std::chrono::steady_clock;

    // Begins at `position` of the file, a multiple of wal_block_bytes. `durable`: all before the group's first record.
    wal_group(wal_memory&, wal_file_ptr, uint64_t position, base::sequence durable);
    ~wal_group();
    wal_group(const wal_group&) = delete;

    // Where the next record would begin, and where the group would end if it were written now.
    uint64_t next_position() const { return _position + wal_align(_bytes, wal_record_alignment); }
    uint64_t end() const { return _position + wal_align(_bytes, wal_block_bytes); }
    size_t bytes() const { return _bytes; }

    // In front of the first record of a file.
    void append_file_header(const wal_file_header&);
    void append_record(base::sequence first, uint32_t sequences_count, record_kind, std::span<const std::string_view> pieces);

    // Everything on stable storage, or an exception. Nothing may be appended any more.
    seastar::future<> write_and_flush();

    const wal_file_ptr file;
    const base::sequence durable;
    base::sequence last; // of its records
    const clock::time_point begun = clock::now();
    bool is_urgent = false;            // somebody waits for it
    seastar::semaphore_units<> memory; // what its records paid
    seastar::chunked_fifo<seastar::promise<base::expected<void>>> waiters;
    // Tells all of them.
    void tell_waiters(const base::expected<void>&);

private:
    void append(std::string_view);
    void append_zeros(size_t count);
    std::span<char> room();

    wal_memory& _memory;
    const uint64_t _position;
    size_t _bytes = 0;
    std::vector<seastar::temporary_buffer<char>> _pieces; // all full but the last
};

} // namespace shard
