// The table engine: exact Azure Table semantics on per-shard logs and memtables. One instance on each shard, all opened and
// stopped together; every call may be made on any of them and goes by itself to the shard that owns the partition. All keys are
// collated (core/key.hh).
//
// When the future of a write resolves with a value, the write is on stable storage and every later read sees it. When it resolves
// with an error, nothing was written; only log_failed and shutting_down leave that open.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include <seastar/core/abort_source.hh>
#include <seastar/core/gate.hh>
#include <seastar/core/metrics_registration.hh>
#include <seastar/core/semaphore.hh>
#include <seastar/core/sharded.hh>

#include "base/error.hh"
#include "shard/disk.hh"
#include "shard/disk_guard.hh"
#include "shard/log_user.hh"
#include "shard/manifest.hh"
#include "shard/wal.hh"
#include "tables/column_scan.hh"
#include "tables/core/catalog_state.hh"
#include "tables/core/commit_clock.hh"
#include "tables/core/transaction.hh"
#include "tables/core/write_admission.hh"
#include "tables/flusher.hh"
#include "tables/newest_scan.hh"
#include "tables/partition_lister.hh"
#include "tables/scan.hh"
#include "tables/segment_merge.hh"
#include "tables/segment_store.hh"
#include "tables/table.hh"
#include "tables/write_listener.hh"

namespace tables {

class catalog_log;
class stored_rows;

struct engine_config {
    // Called on each shard; all must lead to the same directory.
    std::function<std::unique_ptr<shard::disk>()> make_disk;
    std::function<base::tick()> now;
    // Shards in use, of those the process has.
    unsigned shards_count = 1;
    // Of one shard, all its tables together; over it writers are told to come back later.
    uint64_t memtable_bytes_max = 256u << 20;
    // Of one shard: decoded blocks of segments.
    uint64_t cache_bytes_max = 64u << 20;
    flush_config flush;
    admission_limits admission;
    // Below this much free space writes are refused; 0: until the disk itself does.
    uint64_t disk_reserve_bytes = 0;
    shard::wal_config log;
};

struct table_spec {
    std::string account;
    std::string name;
    std::optional<family_binding> family;
};

struct recovery_report {
    uint64_t records_count = 0;
    uint64_t rows_count = 0;
    uint64_t rows_of_dropped_tables_count = 0;
    std::vector<std::string> damage; // a sentence for each place that was durable and cannot be read
};

struct snapshot_report {
    uint64_t files_count = 0; // segments and blobs
    uint64_t logs_count = 0;
};

using commit_outcome = std::expected<base::tick, transaction_failure>;

class engine : public seastar::peering_sharded_service<engine> {
public:
    explicit engine(engine_config);
    ~engine();

    // Before open(), on each shard or none: it must outlive the engine, which opens, flushes and stops it.
    void set_log_user(shard::log_user* user) { _log_user = user; }
    // For whoever has put something into files: what nobody needs any more leaves the log.
    void release_log();

    // Called once, on one shard: reads the catalog and replays the logs of whatever core count wrote them, on all shards.
    seastar::future<base::expected<recovery_report>> open();
    // For sharded<engine>::stop(): what was acknowledged is durable anyway; work under way is finished first.
    seastar::future<> stop();

    // --- tables

    seastar::future<base::expected<table_info>> create_table(table_spec);
    // When it resolves, no shard has a row of it any more, and the name is free.
    seastar::future<base::expected<void>> drop_table(std::string account, std::string name);
    // With `was`, only where that is the value still (empty: there is none): condition_not_met.
    seastar::future<base::expected<void>> set_attribute(attribute_edit, std::optional<std::string> was = std::nullopt);
    // This shard's copy; the same on all shards once the change that made it has been answered.
    const catalog_state& catalog() const { return _catalog; }

    // --- writes

    // All or nothing. The value is the Timestamp of all its entities.
    seastar::future<commit_outcome> commit(transaction);
    // Blind upserts for ingest: rows of any kind, in order, no condition. All partitions must belong to shard `owner`
    // (owner_of()).
    seastar::future<base::expected<void>> upsert(unsigned owner, std::string batch);

    // Null: nobody. Who is told must be taken away before it goes.
    void set_write_listener(write_listener* l) { _listener = l; }

    // --- reads

    // One row; entity_not_found.
    seastar::future<base::expected<owned_rows>> get(base::table_id, std::string partition_key, std::string row_key);
    seastar::future<base::expected<scan_page>> scan(scan_request);
    // Rows of this shard only; the request has no predicate and no columns. The visitor must outlive the future.
    seastar::future<base::expected<visit_end>> visit_here(scan_request, row_visitor&);
    // The same by column, as far as that goes: what is left is for visit_here().
    seastar::future<base::expected<column_visit_end>> visit_columns_here(column_request, column_visitor&);
    // The newest row of each range, as far as that is known without a search: what is left is for visit_here().
    seastar::future<base::expected<newest_visit_end>> visit_newest_here(newest_request, row_visitor&);
    // Partitions of this shard only, in key order, those not before `from`; fewer than asked for only at the end. With a list,
    // what cannot be read is left out and told there; it must outlive the future.
    seastar::future<base::expected<std::vector<partition_span>>> partitions_here(base::table_id, std::string from,
                                                                                 size_t count_max, damage_list* passed = nullptr);
    // Of who knows all partitions of this shard. Nothing when there is no such table.
    std::optional<partitions_mark> partitions_mark_here(base::table_id);
    // Moves when one comes. Null when there is no such table.
    partitions_made partitions_made_here(base::table_id);
    // Shows those that came since the mark, some maybe again, in no order, and moves it to where it was when the call began; on
    // an error it stays. The mark and the visitor must outlive the future; a visitor that returns false ends it with `busy`.
    using key_visitor = std::function<bool(std::string_view partition_key)>;
    seastar::future<base::expected<void>> visit_new_partitions_here(base::table_id, partitions_mark&, key_visitor);

    // When what was seen on this shard may be told.
    seastar::future<base::expected<void>> wait_readable(base::sequence);

    // All rows that are in memory on this shard go to segments.
    seastar::future<base::expected<void>> flush();

    // What each table takes on this shard.
    struct table_usage {
        base::table_id table;
        uint64_t memory_bytes = 0;
        uint64_t segment_bytes = 0;
        uint64_t segments_count = 0;
        uint64_t rows_count = 0;         // a row that is in memory and in segments, or in several, counts as often
        uint64_t segment_rows_count = 0; // of them, in segments
        // Of the time keys in segments; removed rows count. Nothing when there are none.
        std::optional<base::tick> oldest, newest;
    };
    std::vector<table_usage> usage_here() const;
    // What this shard keeps on the disk, but for the edits that list it: whole files, room made ahead included.
    struct disk_usage {
        uint64_t log_files_count = 0;
        uint64_t log_bytes = 0;
        uint64_t segment_files_count = 0;
        uint64_t segment_bytes = 0;
    };
    disk_usage disk_usage_here() const;
    // For compaction, on this shard.
    struct table_segments {
        base::table_id table;
        struct fact {
            uint64_t bytes = 0;
            bool can_begin = true;    // a merge
            base::tick first_written; // the oldest Timestamp in it
        };
        std::vector<fact> newest_first;
        uint64_t generation = 0; // of these facts
    };
    std::vector<table_segments> segments_here() const;
    // Of the disk, what is taken only for a while: by files that merges are writing in place of others, and by those that nobody
    // is to find any more and somebody still reads, segments and blobs.
    uint64_t passing_bytes_here() const { return _store->merging_bytes() + _disk->leaving_bytes(); }
    // Merges `count` neighbours, or the newest of them; busy when the facts are not true any more; shutting_down when asked to
    // stop on the way; out_of_space when the disk has no room for what comes out beside what goes in.
    seastar::future<base::expected<merge_outcome>> merge_here(base::table_id, uint64_t generation, size_t first, size_t count,
                                                              std::function<bool()> must_stop);

    // A whole store in that folder of the data directory, which is made (tables/engine_snapshot.cc): all that was acknowledged
    // before the call is in it, and it shares its files with this one. Names in it are durable, the name of the folder is not.
    seastar::future<base::expected<snapshot_report>> snapshot(std::string folder);
    // Takes such a folder away again. Never fails.
    seastar::future<> remove_snapshot(std::string folder);

    // Reads all segments of this shard, its manifests and its log, on shard 0 the catalog too, and tells what is damaged. The
    // pass outlives it.
    seastar::future<> scrub_here(shard::scrub&);

    unsigned owner_of(std::string_view partition_key) const;
    base::placement placement() const { return _store->placement(); }
    // True while this shard's log takes writes.
    bool can_write() const;
    // Of this shard's log; zeros before open().
    shard::wal_counters log_counters() const;
    uint64_t memtable_bytes() const { return _memtable_bytes; }

private:
    friend class flusher;
    friend class recovery;
    friend class shard_scan;

    class held_view;
    base::expected<table_ptr> readable_table(base::table_id);

    seastar::future<commit_outcome> commit_here(transaction);
    seastar::future<base::expected<void>> upsert_here(std::string batch);
    seastar::future<base::expected<void>> load_stored(const row_batch_reader&, const std::vector<operation>&, stored_rows&);
    // Of memory, at most.
    size_t stored_bytes_of(const std::vector<operation>&) const;
    seastar::future<base::expected<std::string>> get_here(base::table_id, std::string partition_key, std::string row_key);
    seastar::future<base::expected<shard::wal::reservation>> admit(size_t bytes);
    seastar::future<commit_outcome> refuse(transaction_failure, base::sequence seen);
    table_ptr find_table(base::table_id);
    struct written {
        base::sequence last;
        base::tick timestamp;
    };
    // Into the log and into memory, without suspension: nothing comes between a condition and the write that rests on it. `rows`
    // are those of the batch.
    written write(table&, shard::wal::reservation, std::string& batch, const row_batch_reader& rows, base::tick timestamp);
    // Of reads: what a snapshot taken now sees. Every read begins here, so Timestamps that were given count as seen.
    base::sequence visible();
    // Gives a memtable back to the allocator, if this was the last pointer to it.
    void retire(memtable_ptr);
    void drop_here(base::table_id);

    seastar::future<base::expected<void>> change_catalog(catalog_edit);
    seastar::future<> apply_on_all(catalog_edit);
    void apply_here(const catalog_edit&);
    // Of recovery, on each shard.
    seastar::future<base::expected<void>> load_segments();
    seastar::future<> take_segment(stored_segment, std::string path, segment_store::found_segment, slot_set);
    seastar::future<base::expected<void>> check_room_to_merge(uint64_t bytes);
    seastar::future<> tell_keepers(std::vector<released_segment>);
    seastar::future<base::expected<void>> start_log(shard::wal_config, base::tick timestamp);
    // Of a snapshot, on each shard.
    seastar::future<base::expected<snapshot_report>> write_snapshot(shard::snapshot_folder);
    seastar::future<base::expected<snapshot_report>> snapshot_here(std::string folder);
    seastar::future<uint64_t> link_files(shard::snapshot_folder, const shard::manifest_state&) const;
    // Of all who have something in the log.
    seastar::future<base::expected<void>> flush_all();
    seastar::future<bool> flush_all_shards();
    seastar::future<> remove_old_logs();

    void register_metrics();
    void register_row_metrics();
    void register_segment_metrics();
    void register_log_metrics();

    struct counters {
        uint64_t commits_total = 0;
        uint64_t rows_written_total = 0;
        uint64_t refused_busy_total = 0;
        uint64_t gets_total = 0;
        uint64_t pages_total = 0;
        uint64_t fields_dropped_total = 0; // by merges of segments
    };

    engine_config _config;
    std::unique_ptr<shard::disk> _disk;
    catalog_state _catalog;
    std::unordered_map<base::table_id, table_ptr> _tables; // those that were written to or read on this shard
    std::unique_ptr<segment_store> _store;
    std::unique_ptr<flusher> _flusher;
    shard::disk_guard _guard;
    std::unique_ptr<shard::wal> _log; // nothing before open()
    uint64_t _epoch = 0;              // of the log
    shard::log_user* _log_user = nullptr;
    write_listener* _listener = nullptr;
    base::sequence _rows_in_segments;   // all rows of this epoch up to here
    seastar::semaphore _replay_turn{1}; // at opening: of those who make room for rows
    commit_clock _clock;
    uint64_t _memtable_bytes = 0;
    write_admission _admission;
    seastar::semaphore _stored_memory; // for blocks of segments that transactions hold
    counters _counters;
    seastar::metrics::metric_groups _metrics;
    seastar::gate _work;
    seastar::abort_source _stopping; // of those who sleep

    std::unique_ptr<catalog_log> _catalog_log; // on shard 0 only
    seastar::semaphore _catalog_turn{1};       // likewise: one change at a time
    std::vector<std::string> _old_logs;        // likewise: of earlier starts, still there
    seastar::semaphore _old_logs_turn{1};      // of those who remove them or need them
};

} // namespace tables
