// The blob files of one shard: what the manifests list, what is made live, what goes. A change of what lives is one manifest edit.
//
// A file is listed by the shard that wrote it, under a name that begins with its number; so the files of a manifest that lost
// nothing are all there are, and every other one of that shard was left over by a crash.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/core/gate.hh>

#include "base/error.hh"
#include "blobs/blob_file.hh"
#include "blobs/blob_writer.hh"
#include "shard/manifest.hh"

namespace blobs {

class blob_files {
public:
    using blob_sink = std::function<void(blob_ptr)>;

    // All that one manifest lists; what it does not list goes. What cannot be read is logged and left where it is.
    seastar::future<base::expected<void>> load(shard::disk&, shard::manifest&, blob_sink);

    // Never used before. Also the counter of the blobs in it: no source has two in one file.
    struct file_id {
        std::string name;
        uint64_t counter = 0;
    };
    // For a file that this manifest, which was loaded here, will list.
    file_id next_id(const shard::manifest&);

    // Makes finished files live, together with what the log is then not needed for any more; those of `replaced` leave with the
    // same edit. Needs: all of the replaced are listed in `manifest`. On failure nothing changed, but the files may still be there;
    // busy: the replaced are in too many files for one edit.
    seastar::future<base::expected<std::vector<blob_ptr>>> publish(shard::disk&, shard::manifest&, std::vector<written_file>,
                                                                   shard::flushed_mark, std::vector<blob_ptr> replaced);
    // Of files that were not published. Never fails.
    static seastar::future<> remove(shard::disk&, std::vector<written_file>);

    size_t files_count() const { return _files.size(); }
    uint64_t bytes() const { return _bytes; }

    // Nobody may use a blob any more.
    seastar::future<> stop();

private:
    struct live_file {
        blob_file_ptr file;
        blob_directory directory; // of what lives
    };

    seastar::future<base::expected<void>> remove_leftovers(shard::disk&, const shard::manifest&);
    seastar::future<> load_file(shard::disk&, shard::manifest&, std::string name, std::string facts, const blob_sink&);
    std::vector<blob_ptr> adopt(shard::disk&, shard::manifest&, std::vector<written_file>);
    std::map<std::string, blob_directory> without(const std::vector<blob_ptr>& replaced) const;
    void drop(const std::map<std::string, blob_directory>& rest);

    std::map<std::string, live_file> _files; // by name
    uint64_t _bytes = 0;
    std::map<unsigned, uint64_t> _last_numbers; // of files, by the shard in their names
    seastar::gate _work; // of files that are in use and of edits under way
};

} // namespace blobs
