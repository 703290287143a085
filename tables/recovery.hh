// Opening a store, whatever core count wrote it last: catalog, manifests, segments, then every log that is there, oldest epoch
// first. A row goes to the shard that owns it now, with the sequence it had, so the order of reading within an epoch does not
// matter.
//
// What a manifest says is flushed is left out, which is more than a saving: a later version of the row may be in a segment
// already, and the log that had it gone. Where the mark of a log itself was overwritten, rows come into memory that are in
// segments too: that changes nothing, since a log is always released from its beginning, and so has every later write to the same
// row as well.
//
// Rows that are more than memory has room for go to segments while logs are still read. What holds at every moment, whatever
// power cut, is this: for each partition, *the segments are what its log came to up to some point, and the logs have all from the
// mark on*. Such a round therefore writes no mark, and no log leaves before every shard has written one (engine_opening.cc):
// until then the next start reads the same records again, over segments that have some of them. That changes nothing, since each
// record sets properties, or the whole row, to what they are to be, or removes it, and the last one to touch something is read
// again in any case. For the same reason a later round may have an older version of a row than an earlier one of a start that was
// cut off: nobody reads before the newest is in memory again. What orders segments is their `sequence_max`. That of such a round
// is above all segments that were there at this start, of whatever shard, above the rounds before it and its own rows; the log of
// this start goes on above all of them.
//
// A record, unlike a row, would be there twice. So who has records in the log notes with the files, in one edit, up to where
// each lane is in them (lane_mark), and the next start leaves those out.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/core/sharded.hh>

#include "base/error.hh"
#include "base/placement.hh"
#include "shard/manifest.hh"
#include "shard/wal_replay.hh"
#include "tables/engine.hh"

namespace tables {

// Of the log: rows of a batch (core/row_batch.hh).
constexpr shard::record_kind rows_record{1};

// Runs once, on shard 0.
class recovery {
public:
    explicit recovery(seastar::sharded<engine>& engines) : _engines(engines) {}

    // When it resolves with a value, all shards have their rows and their logs, and take writes.
    seastar::future<base::expected<recovery_report>> run();

private:
    using log_id = std::pair<uint64_t, uint32_t>; // epoch, shard: files of one log
    struct manifest_mark {
        unsigned shard; // whose manifest says so
        shard::flushed_mark mark;
    };
    // Which rows of one log are in segments.
    class flushed_rows {
    public:
        // By the manifests of all shards there ever were.
        flushed_rows(log_id, const std::vector<manifest_mark>&, base::placement);

        bool has_all(base::sequence last) const { return last <= _upto; }
        bool has(std::string_view partition_key, base::sequence) const;

    private:
        base::placement _placement;
        base::sequence _upto; // of the log itself
        // By the number of shards there were in a later epoch: who of them has flushed all that is older.
        std::map<uint32_t, std::vector<bool>> _by_later;
    };
    // What one log had to say.
    struct log_summary {
        recovery_report report;
        shard::high_water_marks marks;
    };

    seastar::future<base::expected<void>> open_catalog();
    seastar::future<base::expected<void>> open_manifests();
    seastar::future<> gather_releases();
    seastar::future<base::expected<void>> load_segments();
    seastar::future<> raise_to_segments();
    seastar::future<> pass_over_unknown();
    seastar::future<base::expected<void>> find_logs();
    seastar::future<base::expected<void>> replay_logs();
    seastar::future<base::expected<void>> explain_no_room();
    seastar::future<> replay_epoch(uint64_t epoch);
    seastar::future<> replay_log(log_id);
    seastar::future<base::expected<void>> settle_marks();
    seastar::future<base::expected<void>> start_logs();
    void remove_old_logs_behind();
    static seastar::future<log_summary> read_on_this_shard(engine&, log_id, std::vector<shard::log_file_info>, flushed_rows);
    static seastar::future<> replay_record(engine&, log_id, const shard::wal_record&, const flushed_rows&, log_summary&);
    static seastar::future<> make_room(engine&, size_t bytes);
    static seastar::future<> insert_of_another_shard(engine&, std::string batch, base::sequence first, flushed_rows);
    static void insert_owned_rows(engine&, std::string_view batch, base::sequence first, const flushed_rows&);

    seastar::sharded<engine>& _engines;
    uint64_t _store = 0;
    base::placement _placement;
    std::map<log_id, std::vector<shard::log_file_info>> _logs;
    shard::high_water_marks _marks; // of all manifests, then of all segments and logs too
    std::vector<manifest_mark> _flushed;
    recovery_report _report;
};

} // namespace tables
