// A search in what one shard has of a source: its buffers and blobs, one after the other, those first that may have the first
// records of the answer. Each gives its records in order; who asked puts them together, and says what is still wanted.
#pragma once

#include <string>

#include <seastar/core/future.hh>

#include "base/error.hh"
#include "blobs/core/blob_search.hh"
#include "blobs/core/predicate.hh"

namespace blobs {

class log_store;

// Both included.
struct time_span {
    int64_t first_ns = INT64_MIN;
    int64_t last_ns = INT64_MAX;

    bool operator==(const time_span&) const = default;
    bool overlaps(int64_t first, int64_t last) const { return first <= last_ns && last >= first_ns; }
};

// A stretch of a blob that cannot be read.
struct blob_damage {
    std::string blob; // its name
    time_span times;  // of the records there
    base::error why;  // io_error, corrupt
};

class record_consumer {
public:
    virtual ~record_consumer() = default;
    // Before each buffer or blob: what can still matter. It only gets narrower.
    virtual time_span begin_part() = 0;
    // A record that matches. False: the buffer or blob it is from has no more that matter.
    virtual bool take(const record&) = 0;
    // Now and then, with about the number of records that were looked at since; an error ends the search with it.
    virtual seastar::future<base::expected<void>> go_on(uint64_t examined) = 0;
    // After each blob: how many of its blocks were read.
    virtual void count_blocks(uint64_t) {}
    // True: the search goes on without it; false: it ends with that error.
    virtual bool pass(const blob_damage&) { return false; }
};

struct source_scan {
    std::string source;
    record_predicate where; // its times are overruled by what the consumer wants
    scan_order order = scan_order::newest_first;
    record_parts parts = record_parts::all; // what the consumer looks at, at least
};

// On this shard. invalid_argument for a pattern that is none; io_error and corrupt name the blob. The consumer outlives the
// future.
seastar::future<base::expected<void>> scan(log_store&, source_scan, record_consumer&);

} // namespace blobs
