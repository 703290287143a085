// What was read from segments and decoded, kept while there is memory for it; the least recently used goes first. One on each
// shard. Two who want the same at the same moment share one read.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <unordered_map>

#include <seastar/core/future.hh>
#include <seastar/core/shared_future.hh>
#include <seastar/core/shared_ptr.hh>

#include "base/error.hh"

namespace tables {

class cached_part {
public:
    virtual ~cached_part() = default;
    // Everything it holds.
    virtual size_t bytes() const = 0;
};
using cached_ptr = seastar::shared_ptr<cached_part>;

struct cache_key {
    uint64_t segment = 0; // a number that no other opened segment of this shard has had
    uint64_t offset = 0;  // of the part in it

    bool operator==(const cache_key&) const = default;
};

struct cache_counters {
    uint64_t hits_total = 0;
    uint64_t misses_total = 0;
    uint64_t bytes = 0;
};

class block_cache {
public:
    using load_function = std::function<seastar::future<base::expected<cached_ptr>>()>;

    explicit block_cache(uint64_t bytes_max) : _bytes_max(bytes_max) {}

    // The part if it is here.
    cached_ptr find(cache_key);
    // Else it is loaded, by the first who asks. `load` must stay callable until its future resolves. A failure is not kept.
    seastar::future<base::expected<cached_ptr>> get(cache_key, load_function load);

    // Gives half of its memory back.
    void shrink();
    // Makes room for another form of it.
    void forget(cache_key);

    uint64_t next_segment() { return ++_last_segment; }
    const cache_counters& counters() const { return _counters; }

private:
    struct hash {
        size_t operator()(cache_key k) const { return (k.segment * 0x9e3779b97f4a7c15 + k.offset) * 0xff51afd7ed558ccd; }
    };
    struct entry {
        cache_key key;
        cached_ptr part;
        size_t bytes;
    };
    using outcome = base::expected<cached_ptr>;

    void insert(cache_key, cached_ptr);
    void drop_oldest();

    const uint64_t _bytes_max;
    std::list<entry> _by_use; // newest first
    std::unordered_map<cache_key, std::list<entry>::iterator, hash> _entries;
    std::unordered_map<cache_key, seastar::shared_promise<outcome>, hash> _loading;
    cache_counters _counters;
    uint64_t _last_segment = 0;
};

} // namespace tables
