// Blobs of one source and period become one, in rounds: fewer files, better compression, one place to look. The replaced ones
// leave with the edit that makes the new one live, so a crash leaves either; who reads them keeps them until it is done.
//
// A merged blob has the lowest name of those it was made from. Files of which little lives are written anew: small sources share
// files, and what is replaced or dropped in one gives its space back only with the file.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/core/gate.hh>
#include <seastar/core/lowres_clock.hh>
#include <seastar/core/semaphore.hh>
#include <seastar/core/timer.hh>

#include "base/error.hh"
#include "blobs/blob_writer.hh"
#include "blobs/core/block_builder.hh"
#include "blobs/log_source.hh"

namespace blobs {

class log_store;

struct merge_counters {
    uint64_t rounds_total = 0;
    uint64_t replaced_total = 0;
    uint64_t bytes_total = 0;
};

class merger {
public:
    explicit merger(log_store&);

    void start();
    // A round under way ends without a change.
    seastar::future<> stop();

    // One round; how many blobs it replaced. shutting_down; else as of the disk.
    seastar::future<base::expected<size_t>> run_once();
    // No round begins while the units are held.
    seastar::future<seastar::semaphore_units<>> pause() { return seastar::get_units(_turn, 1); }
    const merge_counters& counters() const { return _counters; }

private:
    using group = std::vector<blob_ptr>; // of one source and period, listed in one manifest, by counter
    struct due_groups {
        std::vector<group> over; // of hours that are
        std::vector<group> open; // of hours that are not, with many blobs
    };

    // All of one manifest: an edit is of one.
    std::vector<group> pick() const;
    void add_groups(const log_source&, due_groups&) const;
    std::vector<group> of_whole_files(const std::vector<group>& due) const;
    std::vector<group> in_sparse_files() const;
    std::vector<group> those_that_fit(std::vector<group> due) const;
    seastar::future<> run_all();
    seastar::future<base::expected<size_t>> round(std::vector<group>);
    seastar::future<base::expected<std::vector<written_file>>> write(const std::vector<group>&);
    seastar::future<base::expected<void>> merge_into(blob_writer&, const group&);
    void set_aside(const group&);

    log_store& _store;
    block_builder _block;
    std::set<std::string> _unreadable; // files of blobs that could not be merged: not tried again before a restart
    merge_counters _counters;
    bool _is_stopping = false;
    seastar::semaphore _turn{1};
    seastar::timer<seastar::lowres_clock> _timer;
    seastar::gate _work;
};

} // namespace blobs
