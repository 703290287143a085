// Blobs on the disk, as one shard has them. A file lives as long as a manifest lists it and somebody still reads it: a blob that
// is replaced stays readable for those who found it before.
#pragma once

#include <optional>
#include <string>

#include <seastar/core/future.hh>
#include <seastar/core/gate.hh>
#include <seastar/core/shared_ptr.hh>
#include <seastar/core/temporary_buffer.hh>

#include "base/error.hh"
#include "blobs/core/blob_view.hh"
#include "blobs/core/file/blob_directory.hh"
#include "shard/disk.hh"
#include "shard/manifest.hh"

namespace blobs {

extern const std::string blobs_folder;
std::string path_of_file(const std::string& name);

// One file, shared by its blobs. Not open; it is unlinked when the last blob lets go of it, if it was doomed.
class blob_file {
public:
    // The holder's gate must be closed before the disk goes.
    blob_file(shard::disk&, seastar::gate::holder, std::string name, shard::manifest* listed_in);
    ~blob_file();
    blob_file(const blob_file&) = delete;

    shard::disk& disk() { return _disk; }
    const std::string& name() const { return _name; }
    shard::manifest& listed_in() const { return *_listed_in; }
    seastar::gate::holder hold() const { return _hold; }
    // Once. Its bytes are on their way out then.
    void doom(uint64_t bytes);

private:
    shard::disk& _disk;
    seastar::gate::holder _hold;
    std::string _name;
    shard::manifest* _listed_in;
    std::optional<uint64_t> _doomed_bytes;
};
using blob_file_ptr = seastar::lw_shared_ptr<blob_file>;

struct live_blob {
    stored_blob facts;
    blob_file_ptr file;
    mutable bool is_gone = false; // replaced or dropped: who has it may read it, nobody finds it any more
};
using blob_ptr = seastar::lw_shared_ptr<const live_blob>;

// A blob with its file open and its footer in memory.
class open_blob {
public:
    // io_error; corrupt, with the name of the blob.
    static seastar::future<base::expected<seastar::lw_shared_ptr<open_blob>>> open(blob_ptr);
    open_blob(blob_ptr, shard::file_ptr, blob_view);
    ~open_blob();
    open_blob(const open_blob&) = delete;

    const blob_view& view() const { return _view; }
    const stored_blob& facts() const { return _blob->facts; }
    // Some bytes of the blob. io_error, corrupt. The caller holds on to this object.
    seastar::future<base::expected<seastar::temporary_buffer<char>>> read(blob_extent);

private:
    bool is_tail(blob_extent) const;

    blob_ptr _blob;
    shard::file_ptr _file;
    blob_view _view;
    seastar::temporary_buffer<char> _tail; // the bytes of the last block, if it is small: the newest records are asked for again
};
using open_blob_ptr = seastar::lw_shared_ptr<open_blob>;

// "blob NAME: what", with the code it had.
base::error about(const stored_blob&, const base::error&);

// The directory at the end of a file, where a manifest does not have it. io_error, corrupt.
seastar::future<base::expected<blob_directory>> read_directory(shard::disk&, std::string name);

} // namespace blobs
