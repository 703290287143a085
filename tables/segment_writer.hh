// Writes one segment file: segments one behind the other, then the directory. Nothing points at the file before it is finished.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <seastar/core/future.hh>
#include <seastar/core/temporary_buffer.hh>

#include "shard/disk.hh"
#include "tables/core/segment/segment_builder.hh"
#include "tables/core/segment/segment_directory.hh"

namespace tables {

// A file that is complete and durable, but for its name: that is when the folder has been synced.
struct written_file {
    std::string name; // in the folder of segments
    segment_directory directory;
    uint64_t bytes = 0;
};

// All calls but the constructor may throw what the disk throws; then only discard() may follow.
class segment_writer {
public:
    // Makes the file. Throws.
    static seastar::future<std::unique_ptr<segment_writer>> create(shard::disk&, std::string name);

    void begin_segment(const segment_options&);
    // In key order. Yields where it must.
    seastar::future<> add(segment_row);
    seastar::future<> end_segment();

    const std::string& name() const { return _file_facts.name; }
    bool is_in_segment() const { return _builder != nullptr; }
    bool is_segment_full() const { return _builder->is_full(); }
    // To the disk, so far.
    uint64_t written_bytes() const { return _position; }
    size_t segments_count() const { return _file_facts.directory.segments.size(); }

    // Everything is on stable storage afterwards, and the file closed.
    seastar::future<written_file> finish();
    // Closes and removes what there is. Never fails.
    seastar::future<> discard();

private:
    segment_writer(shard::disk&, std::string name, shard::file_ptr);

    seastar::future<> take_steps(std::string first);
    seastar::future<> append(std::string_view);
    seastar::future<> write_buffer(size_t bytes);

    shard::disk& _disk;
    shard::file_ptr _file;
    seastar::temporary_buffer<char> _buffer;
    size_t _buffered = 0;
    uint64_t _position = 0; // in the file, of the buffer
    std::unique_ptr<segment_builder> _builder;
    base::table_id _table;
    uint64_t _segment_begin = 0;
    written_file _file_facts;
};

} // namespace tables
