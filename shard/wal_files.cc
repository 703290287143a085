#include "shard/wal_files.hh"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include <seastar/core/coroutine.hh>
#include <seastar/core/when_all.hh>
#include <seastar/util/assert.hh>

#include "base/planted.hh"
#include "shard/disk_error.hh"
#include "shard/logger.hh"

namespace shard {
namespace {

// Long writes would stand in the way of the flushes that clients wait for; unless these wait for this very file.
constexpr size_t fill_bytes = 128 << 10;
constexpr size_t fills_at_once_max = 8;
// One to be used next, one more so that a released file need not be thrown away.
constexpr size_t ready_files_max = 2;

} // namespace

wal_files::wal_files(disk& d, options o) : _disk(d), _options(o) {}

seastar::future<base::expected<void>> wal_files::start() {
    try {
        co_await _disk.make_directory(wal_folder);
        co_await _disk.sync_directory("");
        const auto names = co_await _disk.list(wal_folder);
        for (const auto& name : names) {
            const auto parts = parse_wal_file_name(name);
            if (parts && parts->shard == _options.first.shard) {
                _next_number = std::max(_next_number, parts->number + 1);
            }
        }
    } catch (const std::exception& e) {
        co_return std::unexpected(error_of(e, "the log folder"));
    }
    _upkeep = upkeep();
    co_return base::expected<void>();
}

void wal_files::request_stop() {
    _is_stopping = true;
    tell_waiters(base::fail(base::errc::shutting_down));
    _due.signal();
}

seastar::future<> wal_files::stop() {
    co_await std::exchange(_upkeep, seastar::make_ready_future<>());
    for (; !_ready.empty(); _ready.pop_front()) {
        co_await discard(_ready.front());
    }
    for (auto* files : {&_used, &_sealed}) {
        for (; !files->empty(); files->pop_front()) {
            co_await files->front()->handle->close();
        }
    }
}

seastar::future<base::expected<void>> wal_files::want_ready() {
    if (has_ready()) {
        return seastar::make_ready_future<base::expected<void>>();
    }
    if (_is_stopping) {
        return seastar::make_ready_future<base::expected<void>>(base::fail(base::errc::shutting_down));
    }
    _is_wanted = true;
    _is_awaited = true;
    _due.signal();
    return _outcome.get_shared_future();
}

wal_file_ptr wal_files::take() {
    auto file = _ready.front();
    _ready.pop_front();
    _used.push_back(file);
    _is_wanted = true;
    _due.signal();
    return file;
}

void wal_files::seal(wal_file_ptr file) {
    SEASTAR_ASSERT(_used.front() == file);
    _used.pop_front();
    _sealed.push_back(std::move(file));
    _due.signal();
}

void wal_files::release(base::sequence upto) {
    _released = std::max(_released, upto);
    _due.signal();
}

void wal_files::unhold() {
    --_holds_count;
    _due.signal();
}

std::vector<std::string> wal_files::link_sealed(uint64_t last_number) {
    std::vector<std::string> paths;
    for (auto& file : _sealed) {
        if (file->id.number <= last_number) {
            file->is_linked = true;
            paths.push_back(file->path);
        }
    }
    return paths;
}

// --- the upkeep fiber -----------------------------------------------------------------------------------------------------

bool wal_files::has_released() const {
    return _holds_count == 0 && !_sealed.empty() && _sealed.front()->last <= _released;
}

// Never fails: what goes wrong with the next file is told to those who want it, what goes wrong with an old one is logged.
seastar::future<> wal_files::upkeep() {
    while (true) {
        co_await _due.wait([this] { return _is_stopping || has_released() || (_is_wanted && _ready.empty()); });
        if (_is_stopping) {
            co_return;
        }
        if (has_released()) { // first, since it may give us a ready file for nothing
            auto file = _sealed.front();
            _sealed.pop_front();
            co_await dispose(std::move(file));
        } else {
            co_await prepare();
        }
    }
}

seastar::future<> wal_files::dispose(wal_file_ptr file) {
    if (_options.can_recycle && !file->is_linked && _ready.size() < ready_files_max) {
        co_await recycle(std::move(file));
    } else {
        co_await discard(std::move(file));
    }
}

// The new name is durable before the file is used: records in a file that a power cut takes back to its old name are not found.
seastar::future<> wal_files::recycle(wal_file_ptr file) {
    const auto number = _next_number++;
    const auto path = wal_path(wal_file_name(_options.first.shard, number));
    try {
        co_await _disk.rename(file->path, path);
        file->path = path;
        co_await _disk.sync_directory(wal_folder);
        add_ready(make_file(number, std::move(file->handle)));
        co_return;
    } catch (const std::exception& e) {
        logger.warn("{}: cannot be recycled: {}", file->path, e.what());
    }
    co_await discard(std::move(file));
}

seastar::future<> wal_files::discard(wal_file_ptr file) {
    co_await file->handle->close();
    try {
        co_await _disk.remove(file->path);
        co_await _disk.sync_directory(wal_folder);
    } catch (const std::exception& e) {
        // It costs space until the next start, and nothing else.
        logger.warn("{}: cannot be removed: {}", file->path, e.what());
    }
}

seastar::future<> wal_files::prepare() {
    const auto number = _next_number++;
    const auto path = wal_path(wal_file_name(_options.first.shard, number));
    wal_file_ptr file;
    base::error failure;
    try {
        // Asked first, so that a full disk is not filled to the last byte by each attempt.
        if ((co_await _disk.space()).free_bytes < _options.file_bytes) {
            throw std::system_error(ENOSPC, std::generic_category(), path);
        }
        file = make_file(number, co_await _disk.open(path, open_mode::create));
        if (co_await fill(*file->handle)) {
            if (!base::planted(base::bug::missing_directory_sync)) {
                co_await _disk.sync_directory(wal_folder);
            }
            add_ready(std::move(file));
            co_return;
        }
        failure.code = base::errc::shutting_down;
    } catch (const std::exception& e) {
        failure = error_of(e, "the next log file");
    }
    if (file) {
        co_await discard(std::move(file));
    }
    if (failure.code != base::errc::shutting_down) { // nobody has to know of that one
        logger.warn("{}", base::to_string(failure));
    }
    _is_wanted = false;
    tell_waiters(std::unexpected(std::move(failure)));
}

// False: given up because of a stop.
seastar::future<bool> wal_files::fill(file& f) {
    const auto zeros = f.allocate(fill_bytes);
    for (uint64_t position = 0; position < _options.file_bytes;) {
        if (_is_stopping) {
            co_return false;
        }
        std::vector<seastar::future<>> writes;
        for (const size_t count = _is_awaited ? fills_at_once_max : 1; writes.size() < count && position < _options.file_bytes;) {
            const auto bytes = std::min<uint64_t>(fill_bytes, _options.file_bytes - position);
            writes.push_back(f.write(position, zeros.get(), bytes));
            position += bytes;
        }
        co_await seastar::when_all_succeed(std::move(writes));
    }
    co_await f.flush();
    co_return true;
}

wal_file_ptr wal_files::make_file(uint64_t number, file_ptr handle) {
    auto id = _options.first;
    id.number = number;
    return seastar::make_lw_shared<wal_file>(
        {.id = id, .seed = id.seed(), .path = wal_path(wal_file_name(id.shard, number)), .handle = std::move(handle)});
}

void wal_files::add_ready(wal_file_ptr file) {
    _ready.push_back(std::move(file));
    tell_waiters({});
}

void wal_files::tell_waiters(base::expected<void> outcome) {
    _is_awaited = false;
    std::exchange(_outcome, {}).set_value(std::move(outcome));
}

} // namespace shard
