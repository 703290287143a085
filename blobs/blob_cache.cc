#include "blobs/blob_cache.hh"

#include <seastar/core/coroutine.hh>

namespace blobs {

seastar::future<base::expected<open_blob_ptr>> blob_cache::open(blob_ptr blob) {
    if (const auto found = _open.find(blob.get()); found != _open.end()) {
        _recent.splice(_recent.begin(), _recent, found->second.place);
        co_return found->second.blob;
    }
    auto opened = co_await open_blob::open(blob);
    // Somebody else may have opened it in the meantime; two are as good as one.
    if (opened && !_open.contains(blob.get())) {
        _recent.push_front(blob.get());
        _open.emplace(blob.get(), entry{*opened, _recent.begin()}); // which keeps the blob, so the key stays its own
        if (_open.size() > open_blobs_max) {
            erase(_recent.back());
        }
    }
    co_return opened;
}

void blob_cache::erase(const live_blob* blob) {
    if (const auto found = _open.find(blob); found != _open.end()) {
        _recent.erase(found->second.place);
        _open.erase(found);
    }
}

void blob_cache::clear() {
    _open.clear();
    _recent.clear();
    _readers.clear();
}

std::unique_ptr<block_reader> blob_cache::take_reader() {
    if (_readers.empty()) {
        return std::make_unique<block_reader>();
    }
    auto reader = std::move(_readers.back());
    _readers.pop_back();
    return reader;
}

} // namespace blobs
