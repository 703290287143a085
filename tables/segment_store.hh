// The segment files of one shard: the manifests that list them, the handles, the cache. A change of what lives is one manifest edit;
// a file leaves the disk when its last table is gone and its last reader has let go.
//
// A shard keeps its own manifest, and those of shards that there are no more: number modulo core count. Files stay listed where they
// were; new ones go into its own.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/core/gate.hh>
#include <seastar/core/semaphore.hh>

#include "base/error.hh"
#include "shard/disk.hh"
#include "shard/manifest.hh"
#include "tables/block_cache.hh"
#include "tables/core/catalog_state.hh"
#include "tables/segment.hh"
#include "tables/segment_writer.hh"

namespace tables {

class segment_store {
public:
    segment_store(shard::disk&, uint64_t cache_bytes_max);
    ~segment_store();

    // --- opening, in this order

    // The first is this shard's own. Errors as of manifest::open().
    seastar::future<base::expected<void>> open_manifests(std::vector<unsigned> shards);
    const std::vector<std::unique_ptr<shard::manifest>>& manifests() const { return _manifests; }
    shard::manifest& own_manifest() { return *_manifests.front(); }
    // What was found damaged so far; a sentence each. Empties it.
    std::vector<std::string> take_damage() { return std::exchange(_damage, {}); }

    // Of a segment that cannot be opened, only why.
    using found_segment = base::expected<segment_ptr>;
    using segment_sink = std::function<seastar::future<>(stored_segment, std::string path, found_segment)>;
    // Opens all that the manifests list and the catalog has a table for, one after the other; removes the rest.
    seastar::future<> load(const catalog_state&, segment_sink);
    // A segment of a file that another shard keeps.
    seastar::future<found_segment> open_shared(std::string path, stored_segment);
    // Files of this shard that no manifest lists were left over by a crash. Also learns which names are taken.
    seastar::future<base::expected<void>> remove_leftovers();

    // --- running

    // Never used before.
    std::string next_name();
    // Makes finished files live, together with what the log is then not needed for any more. In the order of the files and their
    // directories. On failure nothing changed and the files are gone, unless it is not known whether the edit was written.
    seastar::future<base::expected<std::vector<segment_ptr>>> publish(std::vector<written_file>, shard::flushed_mark);
    // Listed where new files go, and read by no other shard: it can be exchanged with one edit.
    bool can_exchange(const segment&) const;
    // The same for segments that a merge has made of others: those leave with the same edit. Needs: can_exchange() all of them.
    seastar::future<base::expected<std::vector<segment_ptr>>> exchange(std::vector<segment_ptr> old, std::vector<written_file> merged);
    // Finished files that nothing points at. Never fails.
    seastar::future<> discard(std::vector<written_file>);
    // The table is gone.
    void forget(base::table_id);

    shard::disk& disk() { return _disk; }
    const block_cache& cache() const { return _cache; }
    block_cache& cache() { return _cache; }
    size_t files_count() const { return _files.size(); }
    uint64_t files_bytes() const { return _files_bytes; }

    // Nobody may use a segment any more.
    seastar::future<> stop();

private:
    struct live_file {
        segment_file_ptr file;
        std::vector<stored_segment> segments; // of tables that are there
        shard::manifest* listed_in;
        uint64_t bytes;
    };

    seastar::future<> load_file(shard::manifest&, std::string name, std::string facts, const catalog_state&, const segment_sink&);
    seastar::future<> drop_file(shard::manifest&, std::string name);
    // Files that are finished and not live yet.
    struct new_files {
        std::vector<segment_file_ptr> files;
        std::vector<segment_ptr> segments;
    };
    seastar::future<base::expected<new_files>> open_new(const std::vector<written_file>&);
    seastar::future<base::expected<void>> open_segments(const written_file&, new_files&);
    void adopt(std::vector<written_file>, new_files&);
    // Opens the files, writes the edit, takes them on; or cleans up.
    seastar::future<base::expected<std::vector<segment_ptr>>> commit(std::vector<written_file>, shard::files_edit);
    void retire(std::string name);
    void unlink(live_file);

    shard::disk& _disk;
    block_cache _cache;
    codec::zstd_decompressor _zstd;
    std::vector<std::unique_ptr<shard::manifest>> _manifests; // the first is our own
    std::map<std::string, live_file> _files;                  // by name
    uint64_t _files_bytes = 0;
    uint64_t _next_number = 1;
    bool _has_lost_edits = false; // some file may live that no manifest lists any more
    std::vector<std::string> _damage;
    seastar::semaphore _exchange_turn{1}; // two that share a file must not each write it with the other's old part
    seastar::gate _work;                  // of files that are open and of edits under way
};

} // namespace tables
