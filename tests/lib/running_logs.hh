// A log store on each shard of a running engine, for tests. Bodies run in a Seastar thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "blobs/log_store.hh"
#include "blobs/source_scan.hh"
#include "tests/lib/running_engine.hh"

namespace testing_lib {

struct sent_record {
    std::string source;
    int64_t time_ns = 0;
    uint8_t level = blobs::level_none;
    std::string text;

    auto operator<=>(const sent_record&) const = default;
};

class running_logs {
public:
    struct options {
        running_engine::options engine;
        blobs::log_config logs;
    };

    running_logs(sim::sim_disk&, options);
    ~running_logs();
    running_logs(const running_logs&) = delete;

    bool is_open() const { return _engine->opened().has_value(); }
    blobs::log_store& operator*() { return _logs.local(); }
    blobs::log_store* operator->() { return &_logs.local(); }
    seastar::sharded<blobs::log_store>& all() { return _logs; }
    running_engine& engine() { return *_engine; }

    // On the shard it is called on, as one batch.
    static base::expected<void> append(blobs::log_store&, const std::vector<sent_record>&);
    static base::expected<void> append(blobs::log_store&, const std::string& source, const blobs::record&);
    base::expected<void> append(const std::vector<sent_record>& records) { return append(_logs.local(), records); }
    // On all shards.
    base::expected<void> seal();
    // What all shards have of a source, oldest first, that matches; at most `count` of each shard's parts.
    base::expected<std::vector<sent_record>> search(const std::string& source, blobs::record_predicate = {},
                                                    blobs::scan_order = blobs::scan_order::oldest_first, size_t count = SIZE_MAX);

private:
    seastar::sharded<blobs::log_store> _logs;
    std::unique_ptr<running_engine> _engine;
};

} // namespace testing_lib
