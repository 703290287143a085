// The server's own figures as points of the family `downtick`, by the way that all points take: GET
// /v1/tail?from=family:downtick. One series for each shard, and one for the disk. Lives on shard 0.
#pragma once

#include <chrono>
#include <string>

#include <seastar/core/abort_source.hh>
#include <seastar/core/future.hh>
#include <seastar/core/gate.hh>
#include <seastar/core/timer.hh>

#include "ingest/intake.hh"
#include "shard/disk.hh"

namespace server {

inline const std::string own_family = "downtick";

class own_metrics {
public:
    // The intake is that of this shard, and open; the disk is that of the data directory. Both outlive it.
    own_metrics(ingest::intake&, shard::disk&, std::chrono::seconds every);

    // The first points come a second later, so that a new server has something to show.
    void start();
    seastar::future<> stop();

private:
    seastar::future<> write();

    ingest::intake& _intake;
    shard::disk& _disk;
    const std::chrono::seconds _every;
    bool _is_writing = false;
    seastar::abort_source _stopping;
    seastar::timer<> _timer;
    seastar::gate _work;
};

} // namespace server
