// Dropping what a source has of an hour.

#include <map>

#include <seastar/core/coroutine.hh>

#include "blobs/log_store.hh"
#include "blobs/merger.hh"

namespace blobs {

std::vector<log_store::period_usage> log_store::periods_here(std::string_view name) const {
    const auto source = find_source(name);
    std::map<base::tick, uint64_t> bytes;
    if (source) {
        for (const auto& b : source->blobs) {
            bytes[b->facts.identity.period_start] += b->facts.extent.size;
        }
    }
    std::vector<period_usage> periods;
    for (const auto& [start, sum] : bytes) {
        periods.push_back({start, sum});
    }
    return periods;
}

// An edit is of one manifest, and has its bounds: a cut between two of them leaves the others, which the next run drops.
seastar::future<base::expected<void>> log_store::drop_period_here(std::string name, base::tick start) {
    const auto hold = _work.try_hold();
    if (!hold || !_services) {
        co_return base::expected<void>(); // of a shard that is not in use, or no more
    }
    const auto no_merges = co_await _merger->pause();
    const auto source = find_source(name);
    std::map<shard::manifest*, std::vector<blob_ptr>> doomed;
    if (source) {
        for (const auto& b : source->blobs) {
            if (b->facts.identity.period_start == start) {
                doomed[&b->file->listed_in()].push_back(b);
            }
        }
    }
    for (const auto& [manifest, blobs] : doomed) {
        for (const auto& portion : _files.portions(blobs)) {
            auto done = co_await _files.publish(_services->disk, *manifest, {}, {}, portion);
            if (!done) {
                co_return std::unexpected(done.error());
            }
            for (const auto& b : portion) {
                remove_blob(b);
            }
        }
    }
    co_return base::expected<void>();
}

} // namespace blobs
