// The segment files of one shard: the manifests that list them, the handles, the cache. A change of what lives is one manifest
// edit; a file leaves the disk when its last table is gone and its last reader has let go.
//
// A shard keeps its own manifest, and those of shards that there are no more: number modulo core count. Files stay listed where
// they were; new ones go into its own. So the rows of a shard may lie in files that it does not list. A merge takes them into
// files that it does, and its own manifest says, in the same edit, that they are *released* there. When all rows of a file are,
// who keeps its manifest lets it go.
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
#include "base/placement.hh"
#include "shard/disk.hh"
#include "shard/manifest.hh"
#include "tables/block_cache.hh"
#include "tables/core/catalog_state.hh"
#include "tables/segment.hh"
#include "tables/segment_writer.hh"

namespace tables {

// What was released of segments in files that others list, by their place_name() (core/segment/segment_name.hh).
using release_map = std::map<std::string, slot_set>;

struct released_segment {
    std::string file;
    stored_segment place;
    slot_set slots;
};

class segment_store {
public:
    segment_store(shard::disk&, uint64_t cache_bytes_max);
    ~segment_store();

    // --- opening, in this order

    // As the identity of the store has it.
    void set_placement(base::placement p) { _placement = p; }
    base::placement placement() const { return _placement; }
    // The first is this shard's own. Errors as of manifest::open().
    seastar::future<base::expected<void>> open_manifests(std::vector<unsigned> shards);
    const std::vector<std::unique_ptr<shard::manifest>>& manifests() const { return _manifests; }
    shard::manifest& own_manifest() { return *_manifests.front(); }
    // What these manifests say; and what those of all shards say, before load().
    const release_map& releases() const { return _releases; }
    void set_releases(release_map all) { _releases = std::move(all); }
    // What was found damaged so far; a sentence each. Empties it.
    std::vector<std::string> take_damage() { return std::exchange(_damage, {}); }

    // Of a segment that cannot be opened, only why.
    using found_segment = base::expected<segment_ptr>;
    // With whose rows are to be read of it.
    using segment_sink = std::function<seastar::future<>(stored_segment, std::string path, found_segment, slot_set)>;
    // Before load(), when the catalog may have lost tables: segments of tables that it does not have stay, and are told as
    // damage.
    void keep_unknown() { _keeps_unknown = true; }
    // The greatest id of such a table; 0: none.
    base::table_id last_unknown() const { return _last_unknown; }
    // Opens all that the manifests list and the catalog has a table for, one after the other; removes the rest.
    seastar::future<> load(const catalog_state&, segment_sink);
    // A segment of a file that another shard keeps.
    seastar::future<found_segment> open_shared(std::string path, stored_segment, slot_set ours);
    // Files of this shard that no manifest lists were left over by a crash. Also learns which names are taken.
    seastar::future<base::expected<void>> remove_leftovers();

    // --- running

    // Never used before.
    std::string next_name();
    // Makes finished files live, together with what the log is then not needed for any more. In the order of the files and their
    // directories. On failure nothing changed and the files are gone, unless it is not known whether the edit was written.
    seastar::future<base::expected<std::vector<segment_ptr>>> publish(std::vector<written_file>, shard::flushed_mark);
    struct exchanged {
        std::vector<segment_ptr> merged;
        std::vector<released_segment> released; // their keepers have yet to be told, by take_back()
    };
    // The same for segments that a merge has made of others: those leave with the same edit, or are released by it.
    seastar::future<base::expected<exchanged>> exchange(std::vector<segment_ptr> old, std::vector<written_file> merged);
    // How many of them, from the first on, one such edit can name; two at least. An edit lists what stays of a file with many
    // tables.
    size_t exchangeable_count(const std::vector<segment_ptr>&) const;
    // Of a file that is kept here. Nothing happens when it is gone.
    void take_back(const released_segment&);
    // Between these, files without rows stay. Manifests that are copied one after the other would else miss rows: noted before a
    // merge here, after the release there.
    void hold_files() { ++_holds; }
    void unhold_files();
    // Finished files that nothing points at. Never fails.
    seastar::future<> discard(std::vector<written_file>);
    // The table is gone.
    void forget(base::table_id);

    shard::disk& disk() { return _disk; }
    const block_cache& cache() const { return _cache; }
    block_cache& cache() { return _cache; }
    size_t files_count() const { return _files.size(); }
    uint64_t files_bytes() const { return _files_bytes; }
    // Written by merges so far whose inputs are still there.
    uint64_t merging_bytes() const { return _merging_bytes; }
    void set_merging_bytes(uint64_t was, uint64_t is) { _merging_bytes += is - was; }

    // Nobody may use a segment any more.
    seastar::future<> stop();

private:
    struct live_file {
        segment_file_ptr file;
        std::vector<stored_segment> segments; // of tables that are there
        std::map<uint64_t, slot_set> slots;   // not released yet, by the offset of the segment
        shard::manifest* listed_in = nullptr;
        uint64_t bytes = 0;
        bool is_released = false; // some of its rows were not dropped, but are elsewhere now
    };

    seastar::future<> load_file(shard::manifest&, std::string name, std::string facts, const catalog_state&, const segment_sink&);
    seastar::future<> drop_file(shard::manifest&, std::string name);
    seastar::future<> unlist(shard::manifest&, std::string name);
    slot_set unreleased(const std::string& file, const segment&) const;
    void note_name(std::string_view);
    seastar::future<> forget_releases(std::set<std::string, std::less<>> files);
    // Files that are finished and not live yet.
    struct new_files {
        std::vector<segment_file_ptr> files;
        std::vector<segment_ptr> segments;
    };
    seastar::future<base::expected<new_files>> open_new(const std::vector<written_file>&);
    seastar::future<base::expected<void>> open_segments(const written_file&, new_files&);
    void adopt(std::vector<written_file>, new_files&);
    // Opens the files, writes the edit, takes them on; or cleans up. The edit is made right before it is written: edits that
    // others write in the meantime must not be undone by it.
    using edit_maker = std::function<base::expected<shard::files_edit>()>;
    seastar::future<base::expected<std::vector<segment_ptr>>> commit(std::vector<written_file>, edit_maker);
    shard::manifest_file release_of(const released_segment&) const;
    base::expected<shard::files_edit> edit_without(const std::vector<segment_ptr>& old,
                                                   const std::vector<released_segment>&) const;
    void retire_empty();
    void retire(std::string name, live_file);
    void unlink(live_file);

    shard::disk& _disk;
    block_cache _cache;
    codec::zstd_decompressor _zstd;
    std::vector<std::unique_ptr<shard::manifest>> _manifests; // the first is our own
    std::map<std::string, live_file> _files;                  // by name
    uint64_t _files_bytes = 0;
    uint64_t _merging_bytes = 0;
    uint64_t _next_number = 1;
    base::placement _placement;
    release_map _releases; // at the start, of all shards
    unsigned _holds = 0;
    bool _keeps_unknown = false;
    base::table_id _last_unknown{0};
    bool _has_lost_edits = false; // some file may live that no manifest lists any more
    std::vector<std::string> _damage;
    seastar::semaphore _exchange_turn{1}; // two that share a file must not each write it with the other's old part
    seastar::gate _work;                  // of files that are open and of edits under way
};

} // namespace tables
