#include "tables/segment_writer.hh"

#include <algorithm>
#include <cstring>
#include <utility>

#include <seastar/core/align.hh>
#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>

#include "tables/logger.hh"
#include "tables/segment_file.hh"

namespace tables {
namespace {

constexpr size_t buffer_bytes = 128 << 10;

} // namespace

segment_writer::segment_writer(shard::disk& d, std::string name, shard::file_ptr file)
    : _disk(d), _file(std::move(file)), _buffer(_file->allocate(buffer_bytes)) {
    _file_facts.name = std::move(name);
}

seastar::future<std::unique_ptr<segment_writer>> segment_writer::create(shard::disk& d, std::string name) {
    auto file = co_await d.open(segments_folder + '/' + name, shard::open_mode::create);
    co_return std::unique_ptr<segment_writer>(new segment_writer(d, std::move(name), std::move(file)));
}

void segment_writer::begin_segment(const segment_options& options) {
    _builder = std::make_unique<segment_builder>(options);
    _table = options.table;
    _segment_begin = _position + _buffered;
}

// Most rows only fill the open block: no coroutine for those.
seastar::future<> segment_writer::add(segment_row row) {
    _builder->add(row);
    auto bytes = _builder->step();
    return bytes ? take_steps(std::move(*bytes)) : seastar::make_ready_future<>();
}

seastar::future<> segment_writer::take_steps(std::string first) {
    for (std::optional<std::string> bytes = std::move(first); bytes; bytes = _builder->step()) {
        co_await append(*bytes);
        co_await seastar::coroutine::maybe_yield();
    }
}

seastar::future<> segment_writer::end_segment() {
    _builder->finish();
    co_await take_steps({});
    _builder = nullptr;
    _file_facts.directory.segments.push_back({_table, {_segment_begin, _position + _buffered - _segment_begin}});
}

seastar::future<> segment_writer::append(std::string_view bytes) {
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

seastar::future<> segment_writer::write_buffer(size_t bytes) {
    co_await _file->write(_position, _buffer.get(), bytes);
    _position += _buffered;
    _buffered = 0;
}

seastar::future<written_file> segment_writer::finish() {
    std::string end;
    _file_facts.directory.encode(end);
    co_await append(end);
    if (_buffered > 0) {
        const auto whole = seastar::align_up(_buffered, _file->alignment());
        std::memset(_buffer.get_write() + _buffered, 0, whole - _buffered);
        co_await write_buffer(whole);
    }
    _file_facts.bytes = _position;
    co_await _file->truncate(_position);
    co_await _file->flush();
    co_await std::exchange(_file, nullptr)->close();
    co_return std::move(_file_facts);
}

seastar::future<> segment_writer::discard() {
    if (auto file = std::exchange(_file, nullptr)) {
        co_await file->close();
    }
    try {
        co_await _disk.remove(segments_folder + '/' + _file_facts.name);
    } catch (const std::exception& e) {
        logger.warn("{}: an unfinished file cannot be removed, the next start will: {}", _file_facts.name, e.what());
    }
}

} // namespace tables
