#include "tables/block_cache.hh"

#include <seastar/core/coroutine.hh>

#include "shard/disk_error.hh"

namespace tables {

cached_ptr block_cache::find(cache_key key) {
    const auto found = _entries.find(key);
    if (found == _entries.end()) {
        return nullptr;
    }
    ++_counters.hits_total;
    _by_use.splice(_by_use.begin(), _by_use, found->second);
    return found->second->part;
}

seastar::future<base::expected<cached_ptr>> block_cache::get(cache_key key, load_function load) {
    if (auto part = find(key)) {
        co_return part;
    }
    if (const auto other = _loading.find(key); other != _loading.end()) {
        co_return co_await other->second.get_shared_future();
    }
    ++_counters.misses_total;
    _loading.try_emplace(key);
    outcome loaded = base::fail(base::errc::io_error);
    try {
        loaded = co_await load();
    } catch (const std::exception& e) {
        loaded = std::unexpected(shard::error_of(e, "a part of a segment"));
    }
    if (loaded) {
        insert(key, *loaded);
    }
    auto told = std::move(_loading.at(key));
    _loading.erase(key);
    told.set_value(loaded);
    co_return loaded;
}

void block_cache::shrink() {
    for (const auto half = _counters.bytes / 2; _counters.bytes > half;) {
        drop_oldest();
    }
}

void block_cache::drop_oldest() {
    _counters.bytes -= _by_use.back().bytes;
    _entries.erase(_by_use.back().key);
    _by_use.pop_back();
}

void block_cache::forget(cache_key key) {
    if (const auto found = _entries.find(key); found != _entries.end()) {
        _counters.bytes -= found->second->bytes;
        _by_use.erase(found->second);
        _entries.erase(found);
    }
}

void block_cache::insert(cache_key key, cached_ptr part) {
    const auto bytes = part->bytes();
    if (bytes > _bytes_max) {
        return; // it would push out everything and itself
    }
    while (_counters.bytes + bytes > _bytes_max) {
        drop_oldest();
    }
    _by_use.push_front({key, std::move(part), bytes});
    _entries.emplace(key, _by_use.begin());
    _counters.bytes += bytes;
}

} // namespace tables
