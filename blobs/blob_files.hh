// The blob files of one shard: what the manifests list, what is made live, what goes. A change of what lives is one manifest
// edit.
//
// A file is listed by the shard that wrote it, under a name that begins with its number; so the files of a manifest that lost
// nothing are all there are, and every other one of that shard was left over by a crash.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
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

    // What the logs are not needed for any more: those of this start, or those of earlier ones that are still being read.
    struct sealed {
        shard::flushed_mark flushed;
        std::vector<shard::lane_mark> lanes;
    };
    // Makes finished files live, together with what the log is then not needed for any more; those of `replaced` leave with the
    // same edit. Needs: all of the replaced are listed in `manifest`. On failure nothing changed, and the files are gone unless
    // the edit may be in the manifest all the same; busy: the replaced leave more in their files than one edit has room for.
    seastar::future<base::expected<std::vector<blob_ptr>>> publish(shard::disk&, shard::manifest&, std::vector<written_file>,
                                                                   sealed, std::vector<blob_ptr> replaced);
    // Of files that were not published. Never fails.
    static seastar::future<> remove(shard::disk&, std::vector<written_file>);

    size_t files_count() const { return _files.size(); }
    // Of the files, whatever of them lives.
    uint64_t bytes() const { return _bytes; }
    // What lives in a file. Needs: it is listed.
    const std::vector<blob_ptr>& blobs_in(const std::string& name) const { return _files.at(name).blobs; }
    // Files of which so little lives that it should be written anew.
    std::vector<std::string> sparse() const;
    // The blobs, in portions that publish() can replace at a time.
    std::vector<std::vector<blob_ptr>> portions(const std::vector<blob_ptr>&) const;

    // Nobody may use a blob any more.
    seastar::future<> stop();

private:
    friend class leaving_blobs;
    using file_rest = std::map<std::string, std::vector<blob_ptr>>; // what is left, by the name of the file

    struct live_file {
        blob_file_ptr file;
        std::vector<blob_ptr> blobs; // that live
        uint64_t bytes = 0;          // of the file
        uint64_t blobs_bytes = 0;
        size_t list_bytes = 0; // of the blobs in an edit
    };

    seastar::future<base::expected<void>> remove_leftovers(shard::disk&, const shard::manifest&);
    seastar::future<> load_file(shard::disk&, shard::manifest&, std::string name, std::string facts, const blob_sink&);
    // All of it live; returns its blobs.
    const std::vector<blob_ptr>& add(shard::disk&, shard::manifest&, std::string name, const blob_directory&, uint64_t bytes);
    file_rest without(const std::vector<blob_ptr>& replaced) const;
    static base::expected<shard::files_edit> edit_of(const std::vector<written_file>&, const file_rest&);
    void drop(const file_rest&);

    std::map<std::string, live_file> _files; // by name
    uint64_t _bytes = 0;
    std::map<unsigned, uint64_t> _last_numbers; // of files, by the shard in their names
    seastar::gate _work;                        // of files that are in use and of edits under way
};

// Blobs that an edit is to take from their files: what it then has to list anew is what is left in these.
class leaving_blobs {
public:
    explicit leaving_blobs(const blob_files& from) : _from(&from) {}

    // Not twice.
    void add(const std::vector<blob_ptr>&);
    bool fit() const;

private:
    const blob_files* _from;
    std::set<std::string_view> _touched; // of the blobs' files
    size_t _list_bytes = 0;
};

} // namespace blobs
