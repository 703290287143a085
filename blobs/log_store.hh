// The log path of one shard: records come in, are durable in the shard's log, are found in buffers, and are sealed into blobs.
// One instance on each shard. A record stays on the shard that received it: that is its lane.
//
// When the future of append() resolves with a value, the records are on stable storage and every later search finds them, on any
// shard. What is in buffers is durable, so no search ever shows what a power cut could take back.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <seastar/core/gate.hh>
#include <seastar/core/metrics_registration.hh>
#include <seastar/core/semaphore.hh>
#include <seastar/core/sharded.hh>

#include "base/error.hh"
#include "blobs/blob_cache.hh"
#include "blobs/blob_files.hh"
#include "blobs/core/record_batch.hh"
#include "blobs/log_config.hh"
#include "blobs/log_source.hh"
#include "blobs/merger.hh"
#include "blobs/replaced_names.hh"
#include "blobs/sealer.hh"
#include "shard/log_user.hh"
#include "shard/scrub.hh"

namespace blobs {

// Of the log: a batch of records (core/record_batch.hh).
constexpr shard::record_kind batch_record{batch_record_kind};

// Records on their way to the log.
struct log_batch {
    std::string payload;                            // a record batch, whose sequences were given by next_sequence()
    seastar::lw_shared_ptr<const std::string> body; // of it; null: it is read from the payload
    uint32_t records_count = 0;
    uint64_t raw_bytes = 0;
    uint64_t sequence_end = 0; // behind the highest of them
    bool is_of_upkeep = false; // taken below the disk's reserve too: it tells what was dropped to make room
};

struct log_counters {
    uint64_t records_total = 0;
    uint64_t raw_bytes_total = 0;
    uint64_t log_bytes_total = 0; // of batches
    uint64_t refused_busy_total = 0;
    uint64_t searches_total = 0;
    uint64_t blocks_read_total = 0;
    uint64_t blocks_skipped_total = 0;
    uint64_t search_bytes_total = 0; // read from blobs
};

// Is shown records as they become readable on its shard, for who follows what arrives.
class record_listener {
public:
    virtual ~record_listener() = default;
    // Borrowed for the call.
    virtual void record_written(std::string_view source, const record&) noexcept = 0;
};

class log_store final : public shard::log_user, public seastar::peering_sharded_service<log_store> {
public:
    // Called when something has been sealed: what nobody needs any more may leave the log.
    using release = std::function<void()>;
    log_store(log_config, release);
    ~log_store() override;

    // --- the table engine opens, flushes and stops it (shard/log_user.hh)

    shard::record_kind kind() const override { return batch_record; }
    std::string files_folder() const override { return blobs_folder; }
    seastar::future<base::expected<void>> load(shard::disk&, shard::manifest&) override;
    seastar::future<> replay(uint64_t epoch, unsigned shard, const shard::wal_record&) override;
    seastar::future<base::expected<void>> settle(shard::manifest&) override;
    void start(shard::log_services) override;
    base::sequence needed_from() const override;
    seastar::future<base::expected<void>> flush() override;
    // A second call does nothing: its engine stops it, and then its container.
    seastar::future<> stop() override;

    // --- writing, on this shard

    // For the next record of a source; none is given twice. Nothing when there are too many sources. Needs: started; a name of at
    // most source_bytes_max.
    std::optional<uint64_t> next_sequence(std::string_view source);
    // busy, out_of_space: nothing was written. log_failed, shutting_down: that is open.
    seastar::future<base::expected<void>> append(log_batch);

    // Null: nobody. Who is told must be taken away before it goes.
    void set_record_listener(record_listener* l) { _listener = l; }

    // Merges some of the blobs that are to be; how many were replaced.
    seastar::future<base::expected<size_t>> merge() { return _merger->run_once(); }

    // Reads all blobs of this shard from the disk, and tells what is damaged. The pass outlives it.
    seastar::future<> scrub_here(shard::scrub&);

    // --- retention, on this shard: what is in blobs; records that are not yet follow when they are

    struct period_usage {
        base::tick start;
        uint64_t bytes = 0;
    };
    std::vector<period_usage> periods_here(std::string_view source) const;
    // Gone from answers and from the manifests when it resolves.
    seastar::future<base::expected<void>> drop_period_here(std::string source, base::tick start);

    struct file_usage {
        uint64_t files_count = 0;
        uint64_t bytes = 0;
    };
    // On the disk, with what was dropped or replaced in files that have other blobs, too.
    file_usage disk_usage_here() const { return {_files.files_count(), _files.bytes()}; }

    // --- reading

    // Of all shards, sorted.
    const std::set<std::string, std::less<>>& source_names() const { return _names; }
    // What this shard has of it; null: nothing.
    source_ptr find_source(std::string_view) const;
    const std::map<std::string, source_ptr, std::less<>>& sources() const { return _sources; }
    // All blobs of this shard by name.
    const std::map<std::string, blob_ptr, std::less<>>& blobs_by_name() const { return _by_name; }
    // By its name, or by one that was merged into it not long ago. Null: there is none here.
    blob_ptr find_blob_here(std::string_view name) const;
    blob_cache& open_blobs() { return _cache; }
    log_counters& counters() { return _counters; }
    // Those who work with blobs or buffers of this store are inside.
    seastar::gate& work() { return _work; }

private:
    friend class merger;
    friend class sealer;

    struct pending_batch {
        base::sequence first, last;
        log_batch batch;
        uint64_t inserted_count = 0; // records of it that are in buffers
    };

    bool is_sealed(uint64_t epoch, unsigned shard, base::sequence last) const;
    std::vector<shard::lane_mark> replayed_lanes() const;
    seastar::future<base::expected<void>> admit(uint64_t bytes);
    // False: memory ran out on the way. What is left is inserted by the next call.
    bool insert_durable();
    // It has records, which all shards are to know.
    void note_name(log_source&);
    // Of a batch; with its body, if that is known. Leaves out the first `inserted_count` records and counts on. corrupt: nothing
    // was inserted. Throws bad_alloc.
    base::expected<void> insert(std::string_view payload, const std::string* body, uint64_t& inserted_count);
    void insert(log_source&, const record&, std::string_view coded);
    source_ptr& make_source(std::string_view name);
    void add_blob(blob_ptr);
    void remove_blob(const blob_ptr&);
    seastar::future<> announce();
    // The log up to before this is in buffers, or in blobs already.
    base::sequence first_not_in_buffers() const;
    void sealed_upto(base::sequence);
    void register_metrics();

    const log_config _config;
    const release _release;
    std::optional<shard::log_services> _services; // nothing before start()
    shard::disk* _disk = nullptr;                 // null before load(), and so on a shard that is not in use
    shard::manifest* _own_manifest = nullptr;     // likewise
    blob_files _files;
    blob_cache _cache;
    std::map<std::string, source_ptr, std::less<>> _sources;
    std::array<source_ptr, 256> _recent_sources; // some of them, by name_place
    std::map<std::string, blob_ptr, std::less<>> _by_name;
    replaced_names _replaced;
    std::set<std::string, std::less<>> _names; // of all shards
    std::vector<std::string> _unannounced;     // of them, not yet known to all
    seastar::semaphore _announcing{1};
    // At opening: of all manifests, and how far the logs that this shard read were found to be sealed.
    std::map<unsigned, shard::flushed_mark> _marks;
    std::map<uint32_t, base::sequence> _lanes;
    std::map<uint32_t, base::sequence> _sealed_lanes;
    std::map<uint32_t, base::sequence> _replayed_lanes; // the last record of each that is in buffers, or was

    std::deque<pending_batch> _pending; // appended, not known to be durable
    uint64_t _pending_bytes = 0;
    uint64_t _buffer_bytes = 0; // memory of all buffers
    size_t _open_buffers_count = 0;
    base::sequence _sealed_upto; // of this epoch
    zstd_decompressor _zstd;
    std::string _scratch;
    std::unique_ptr<sealer> _sealer;
    std::unique_ptr<merger> _merger;
    record_listener* _listener = nullptr;
    log_counters _counters;
    seastar::metrics::metric_groups _metrics;
    seastar::gate _work;
};

} // namespace blobs
