// Opening a store, whatever core count wrote it last: catalog first, then every log that is there, oldest epoch first. A row goes
// to the shard that owns it now, with the sequence it had, so the order of reading within an epoch does not matter.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/core/sharded.hh>

#include "base/error.hh"
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
    // What one log had to say.
    struct log_summary {
        recovery_report report;
        shard::high_water_marks marks;
    };

    seastar::future<base::expected<void>> open_catalog();
    seastar::future<base::expected<void>> open_manifests();
    seastar::future<base::expected<void>> read_manifest_of_other_count(unsigned shard);
    seastar::future<base::expected<void>> find_logs();
    seastar::future<> replay_epoch(uint64_t epoch);
    seastar::future<> replay_log(log_id);
    seastar::future<base::expected<void>> start_logs();
    static seastar::future<log_summary> read_on_this_shard(engine&, std::vector<shard::log_file_info>);
    static seastar::future<> replay_record(engine&, const shard::wal_record&, log_summary&);
    static void insert_owned_rows(engine&, std::string_view batch, base::sequence first);

    seastar::sharded<engine>& _engines;
    uint64_t _store = 0;
    std::map<log_id, std::vector<shard::log_file_info>> _logs;
    shard::high_water_marks _marks; // of all manifests, then of all logs too
    recovery_report _report;
};

} // namespace tables
