// Writes one blob file: blobs one behind the other, then the directory. Nothing points at the file before it is finished.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <seastar/core/future.hh>
#include <seastar/core/temporary_buffer.hh>

#include "blobs/core/blob_builder.hh"
#include "blobs/core/file/blob_directory.hh"
#include "shard/disk.hh"

namespace blobs {

// A file that is complete and durable, but for its name: that is when the folder has been synced.
struct written_file {
    std::string name;
    blob_directory directory;
    uint64_t bytes = 0;
};

// All calls may throw what the disk throws; then only discard() may follow.
class blob_writer {
public:
    // Makes the file. Throws.
    static seastar::future<std::unique_ptr<blob_writer>> create(shard::disk&, std::string name);

    // Of so many raw bytes. Blocks are made in `block`, which nobody else may use until the blob has ended.
    void begin_blob(blob_identity, uint64_t raw_bytes, block_builder& block);
    // In their order. Yields where it must.
    seastar::future<> add(const record&);
    // For a merge: the builder to add to, and then to take the steps of.
    blob_builder& builder() { return *_builder; }
    seastar::future<> take_steps();
    // Of an empty blob nothing stays.
    seastar::future<> end_blob();

    // No other blob should go into this file.
    bool is_full() const;

    // Everything is on stable storage afterwards, and the file closed.
    seastar::future<written_file> finish();
    // Closes and removes what there is. Never fails.
    seastar::future<> discard();

private:
    blob_writer(shard::disk&, std::string name, shard::file_ptr);

    seastar::future<> append(std::string_view);
    seastar::future<> write_buffer(size_t bytes);

    shard::disk& _disk;
    shard::file_ptr _file;
    seastar::temporary_buffer<char> _buffer;
    size_t _buffered = 0;
    uint64_t _position = 0; // in the file, of the buffer
    std::optional<blob_builder> _builder;
    uint64_t _blob_begin = 0;
    size_t _list_bytes = 0; // of the directory so far
    written_file _facts;
};

} // namespace blobs
