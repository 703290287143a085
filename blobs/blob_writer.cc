#include "blobs/blob_writer.hh"

#include <algorithm>
#include <cstring>
#include <utility>

#include <seastar/core/align.hh>
#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>

#include "base/checksum.hh"
#include "blobs/blob_file.hh"
#include "blobs/core/blob_name.hh"
#include "blobs/logger.hh"

namespace blobs {
namespace {

constexpr size_t buffer_bytes = 128 << 10;

} // namespace

blob_writer::blob_writer(shard::disk& d, std::string name, shard::file_ptr file)
    : _disk(d), _file(std::move(file)), _buffer(_file->allocate(buffer_bytes)) {
    _facts.name = std::move(name);
}

seastar::future<std::unique_ptr<blob_writer>> blob_writer::create(shard::disk& d, std::string name) {
    auto file = co_await d.open(path_of_file(name), shard::open_mode::create);
    co_return std::unique_ptr<blob_writer>(new blob_writer(d, std::move(name), std::move(file)));
}

void blob_writer::begin_blob(blob_identity identity, uint64_t raw_bytes, block_builder& block) {
    const auto seed = base::checksum64(_facts.name, base::checksum64(blob_name(identity), 0));
    _builder.emplace(std::move(identity), seed, block);
    _builder->expect(raw_bytes);
    _blob_begin = _position + _buffered;
}

// Most records only fill the open block: no coroutine for those.
seastar::future<> blob_writer::add(const record& r) {
    if (!_builder->add(r)) {
        return seastar::make_ready_future<>();
    }
    return take_steps();
}

seastar::future<> blob_writer::take_steps() {
    while (auto bytes = _builder->step()) {
        co_await append(*bytes);
        co_await seastar::coroutine::maybe_yield();
    }
}

seastar::future<> blob_writer::end_blob() {
    if (_builder->raw_bytes() == 0) {
        _builder.reset();
        co_return;
    }
    _builder->finish();
    co_await take_steps();
    const auto& footer = _builder->footer();
    _facts.directory.blobs.push_back({.identity = footer.identity,
                                      .extent = {_blob_begin, _position + _buffered - _blob_begin},
                                      .records_count = footer.records_count(),
                                      .raw_bytes = footer.raw_bytes(),
                                      .first_ns = footer.first_ns(),
                                      .last_ns = footer.last_ns(),
                                      .levels = footer.levels()});
    _list_bytes += blob_directory::entry_bytes(_facts.directory.blobs.back());
    _builder.reset();
}

bool blob_writer::is_full() const {
    return _facts.directory.blobs.size() >= blob_directory::blobs_target || _list_bytes >= blob_directory::list_bytes_target;
}

seastar::future<> blob_writer::append(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto count = std::min(bytes.size(), buffer_bytes - _buffered);
        std::memcpy(_buffer.get_write() + _buffered, bytes.data(), count);
        _buffered += count;
        bytes.remove_prefix(count);
        if (_buffered == buffer_bytes) {
            co_await write_buffer(buffer_bytes);
        }
    }
}

seastar::future<> blob_writer::write_buffer(size_t bytes) {
    co_await _file->write(_position, _buffer.get(), bytes);
    _position += _buffered;
    _buffered = 0;
}

seastar::future<written_file> blob_writer::finish() {
    std::string end;
    _facts.directory.encode(end);
    co_await append(end);
    if (_buffered > 0) {
        const auto whole = seastar::align_up(_buffered, _file->alignment());
        std::memset(_buffer.get_write() + _buffered, 0, whole - _buffered);
        co_await write_buffer(whole);
    }
    _facts.bytes = _position;
    co_await _file->truncate(_position);
    co_await _file->flush();
    co_await std::exchange(_file, nullptr)->close();
    co_return std::move(_facts);
}

seastar::future<> blob_writer::discard() {
    if (auto file = std::exchange(_file, nullptr)) {
        co_await file->close();
    }
    try {
        co_await _disk.remove(path_of_file(_facts.name));
    } catch (const std::exception& e) {
        logger.warn("{}: an unfinished file cannot be removed, the next start will: {}", _facts.name, e.what());
    }
}

} // namespace blobs
