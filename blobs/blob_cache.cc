#include "blobs/blob_cache.hh"

#include <seastar/core/coroutine.hh>

namespace blobs {

seastar::future<base::expected<open_blob_ptr>> blob_cache::open(blob_ptr blob) {
    if (const auto found = _open.find(blob.get()); found != _open.end()) {
        _recent.splice(_recent.begin(), _recent, found->second.place);
        co_return found->second.blob;
    }
    auto opened = co_await open_blob::open(blob);
    // Somebody else may have opened it in the meantime; two are as good as one. What is gone would be kept from being unlinked.
    if (opened && !blob->is_gone && !_open.contains(blob.get())) {
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
    _spare_reader = nullptr;
    _text_compressor = nullptr;
}

blob_cache::lent_reader::lent_reader(blob_cache& from, seastar::semaphore_units<> turn)
    : _from(&from), _turn(std::move(turn)), _reader(std::move(from._spare_reader)) {
    if (!_reader) {
        _reader = std::make_unique<block_reader>();
    }
}

blob_cache::lent_reader::~lent_reader() {
    if (_reader) {
        _from->_spare_reader = std::move(_reader);
    }
}

zstd_compressor& blob_cache::text_compressor() {
    if (!_text_compressor) {
        _text_compressor = std::make_unique<zstd_compressor>(zstd_level_text);
    }
    return *_text_compressor;
}

seastar::future<blob_cache::lent_reader> blob_cache::lend_reader() {
    auto turn = co_await seastar::get_units(_reader_turns, 1);
    co_return lent_reader(*this, std::move(turn));
}

} // namespace blobs
