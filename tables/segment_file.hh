// A segment file that is open on this shard. It is closed when the last user lets go of it, and then also unlinked if it was
// doomed: readers never lose a file from under them.
#pragma once

#include <optional>
#include <string>

#include <seastar/core/future.hh>
#include <seastar/core/gate.hh>
#include <seastar/core/shared_ptr.hh>
#include <seastar/core/temporary_buffer.hh>

#include "base/error.hh"
#include "shard/disk.hh"
#include "tables/core/segment/segment_directory.hh"

namespace tables {

extern const std::string segments_folder;
std::string segment_path(const std::string& name);

class segment_file : public seastar::enable_lw_shared_from_this<segment_file> {
public:
    // The holder's gate must be closed before the disk goes: the file is closed behind the back of its last user.
    segment_file(shard::disk&, seastar::gate::holder, std::string path, shard::file_ptr);
    ~segment_file();
    segment_file(const segment_file&) = delete;

    // io_error with the path. All of the extent, or corrupt when the file ends before.
    seastar::future<base::expected<seastar::temporary_buffer<char>>> read(file_extent);

    const std::string& path() const { return _path; }
    std::string name() const { return _path.substr(segments_folder.size() + 1); }
    // Once. Its bytes are on their way out then.
    void doom(uint64_t bytes);

private:
    shard::disk& _disk;
    seastar::gate::holder _hold;
    std::string _path;
    shard::file_ptr _file;
    std::optional<uint64_t> _doomed_bytes;
};

using segment_file_ptr = seastar::lw_shared_ptr<segment_file>;

// io_error.
seastar::future<base::expected<segment_file_ptr>> open_segment_file(shard::disk&, seastar::gate::holder, std::string path);

} // namespace tables
