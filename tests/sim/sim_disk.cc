#include "tests/sim/sim_disk.hh"

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include <seastar/core/align.hh>
#include <seastar/core/coroutine.hh>
#include <seastar/util/later.hh>

#include "shard/core/disk_path.hh"

namespace sim {
namespace {

// A copy of the model costs a walk over its names; a replay of this many operations costs about as much.
constexpr uint64_t checkpoint_every = 64;

} // namespace

class sim_file final : public shard::file {
public:
    sim_file(sim_disk& disk, node_id node, std::string path, bool is_writable)
        : _disk(disk), _node(node), _path(std::move(path)), _is_writable(is_writable) {
        _disk._model.add_handle(_node);
    }

    size_t alignment() const override { return _disk._options.alignment; }

    seastar::future<> write(uint64_t position, const char* data, size_t length) override {
        const auto unit = alignment();
        if (position % unit != 0 || length % unit != 0 || reinterpret_cast<uintptr_t>(data) % unit != 0) {
            return seastar::make_exception_future<>(std::invalid_argument("a write that is not aligned"));
        }
        return _disk.write(change(op_kind::write, position), data, length);
    }

    seastar::future<seastar::temporary_buffer<char>> read(uint64_t position, size_t length) override {
        return _disk.read(_node, _path, position, length);
    }

    seastar::future<> flush() override { return _disk.flush(change(op_kind::flush, 0)); }

    seastar::future<uint64_t> size() override {
        co_await _disk.pass(op_kind::size, _path);
        co_return _disk._model.file(_node).size;
    }

    seastar::future<> truncate(uint64_t size) override {
        return _disk.carry_out(change(op_kind::truncate, size)).discard_result();
    }

    seastar::future<> close() override {
        _disk._model.drop_handle(_node);
        return seastar::make_ready_future<>();
    }

private:
    operation change(op_kind kind, uint64_t position) const {
        if (!_is_writable && kind != op_kind::flush) {
            fail(EBADF, _path);
        }
        return {.kind = kind, .path = _path, .node = _node, .position = position, .covers = _disk.operations_count()};
    }

    sim_disk& _disk;
    const node_id _node;
    const std::string _path;
    const bool _is_writable;
};

sim_disk::sim_disk(sim_options options, disk_model model) : _options(options), _model(std::move(model)), _random(options.seed) {
    _base_count = _model.operations_count();
    _checkpoints.push_back(_model);
}

sim_disk::~sim_disk() = default;

// --- every operation passes here ----------------------------------------------------------------------------------------

seastar::future<injected> sim_disk::before(op_kind kind, std::string path) {
    if (_options.yields_max > 0) {
        for (auto left = 1 + _random() % _options.yields_max; left > 0; --left) {
            co_await seastar::yield();
        }
    }
    if (_held && _held->matches(kind, path)) {
        ++_held_count;
        co_await _released.wait([this, kind, &path] { return !_held || !_held->matches(kind, path); });
        --_held_count;
    }
    co_return _faults.next(kind, path);
}

void sim_disk::release() {
    _held.reset();
    _released.broadcast();
}

seastar::future<> sim_disk::pass(op_kind kind, std::string path) {
    const auto outcome = co_await before(kind, path);
    if (outcome.error != 0) {
        fail(outcome.error, path);
    }
}

seastar::future<node_id> sim_disk::carry_out(operation op) {
    co_await pass(op.kind, op.path);
    co_return record(std::move(op));
}

node_id sim_disk::record(operation op) {
    const auto created = _model.apply(op);
    if (_options.operations == history::drop) {
        ++_base_count;
        return created;
    }
    _history.push_back(std::move(op));
    if (_history.size() % checkpoint_every == 0) {
        _checkpoints.push_back(_model);
    }
    return created;
}

seastar::future<> sim_disk::write(operation op, const char* data, size_t length) {
    const auto outcome = co_await before(op.kind, op.path);
    auto reached = length;
    if (outcome.error != 0) {
        reached = outcome.effect == fault_effect::torn ? seastar::align_up(length / 2, sector_bytes) : 0;
        op.error = outcome.error;
    } else if (const auto& content = _model.file(op.node).current; content.hole_bytes(op.position, length) > 0) {
        const auto used = _model.used_bytes();
        const auto free = _options.capacity_bytes > used ? _options.capacity_bytes - used : 0;
        while (content.hole_bytes(op.position, reached) > free) {
            reached -= _options.alignment;
            op.error = ENOSPC;
        }
    }
    // Not a moment earlier: a caller that changes or frees the memory too soon is found out.
    op.bytes = slice::copy_of({data, reached});
    const auto error = op.error;
    const auto path = op.path;
    if (reached > 0) {
        record(std::move(op));
    }
    if (error != 0) {
        fail(error, path);
    }
}

seastar::future<> sim_disk::flush(operation op) {
    const auto outcome = co_await before(op.kind, op.path);
    const auto path = op.path;
    op.error = outcome.error;
    record(std::move(op));
    if (outcome.error != 0) {
        fail(outcome.error, path);
    }
}

seastar::future<seastar::temporary_buffer<char>> sim_disk::read(node_id node, std::string path, uint64_t position,
                                                                size_t length) {
    co_await pass(op_kind::read, path);
    const auto& file = _model.file(node);
    const auto readable = position < file.size ? std::min<uint64_t>(length, file.size - position) : 0;
    seastar::temporary_buffer<char> buffer(readable);
    file.current.read(position, {buffer.get_write(), buffer.size()});
    ++_reads.reads_count;
    _reads.bytes += readable;
    co_return buffer;
}

// --- names --------------------------------------------------------------------------------------------------------------

seastar::future<shard::file_ptr> sim_disk::open(std::string path, shard::open_mode mode) {
    shard::check_file_path(path);
    if (mode == shard::open_mode::create) {
        const auto id = co_await carry_out({.kind = op_kind::create, .path = path});
        co_return std::make_unique<sim_file>(*this, id, path, true);
    }
    co_await pass(op_kind::open, path);
    co_return std::make_unique<sim_file>(*this, _model.find_file(path), path, mode == shard::open_mode::read_write);
}

seastar::future<bool> sim_disk::exists(std::string path) {
    shard::check_folder_path(path);
    co_await pass(op_kind::exists, path);
    co_return _model.exists(path);
}

seastar::future<> sim_disk::rename(std::string from, std::string to) {
    shard::check_file_path(from);
    shard::check_file_path(to);
    co_await carry_out({.kind = op_kind::rename, .path = from, .to = to});
}

seastar::future<> sim_disk::remove(std::string path) {
    shard::check_file_path(path);
    co_await carry_out({.kind = op_kind::remove, .path = path});
}

seastar::future<> sim_disk::link(std::string from, std::string to) {
    shard::check_file_path(from);
    shard::check_file_path(to);
    co_await carry_out({.kind = op_kind::link, .path = from, .to = to});
}

seastar::future<> sim_disk::make_directory(std::string path) {
    shard::check_file_path(path);
    co_await carry_out({.kind = op_kind::make_directory, .path = path});
}

seastar::future<std::vector<std::string>> sim_disk::list(std::string path) {
    shard::check_folder_path(path);
    co_await pass(op_kind::list, path);
    co_return _model.list(path);
}

seastar::future<> sim_disk::sync_directory(std::string path) {
    shard::check_folder_path(path);
    co_await carry_out({.kind = op_kind::sync_directory, .path = path});
}

seastar::future<shard::disk_space> sim_disk::space() {
    co_await pass(op_kind::space, "");
    const auto used = std::min(_model.used_bytes(), _options.capacity_bytes);
    co_return shard::disk_space{.total_bytes = _options.capacity_bytes, .free_bytes = _options.capacity_bytes - used};
}

// --- power cuts and damage ----------------------------------------------------------------------------------------------

std::vector<uint64_t> sim_disk::flush_boundaries() const {
    std::vector<uint64_t> boundaries;
    for (size_t i = 0; i < _history.size(); ++i) {
        const auto kind = _history[i].kind;
        if ((kind == op_kind::flush || kind == op_kind::sync_directory) && _history[i].error == 0) {
            boundaries.push_back(_base_count + i + 1);
        }
    }
    return boundaries;
}

std::optional<uint64_t> sim_disk::covered_by(uint64_t index) const {
    const auto node = _history.at(index - _base_count).node;
    for (size_t i = index - _base_count + 1; i < _history.size(); ++i) {
        const auto& op = _history[i];
        if (op.kind == op_kind::flush && op.node == node && op.covers > index) {
            return op.error == 0 ? std::optional(_base_count + i) : std::nullopt;
        }
    }
    return std::nullopt;
}

disk_model sim_disk::model_at(uint64_t count) const {
    if (count == operations_count()) {
        return _model;
    }
    if (count < _base_count || count > operations_count()) {
        throw std::out_of_range("no such operation was recorded");
    }
    const auto index = count - _base_count;
    auto model = _checkpoints.at(index / checkpoint_every);
    for (auto i = index / checkpoint_every * checkpoint_every; i < index; ++i) {
        model.apply(_history[i]);
    }
    return model;
}

std::unique_ptr<sim_disk> sim_disk::crash_image(uint64_t count, crash_policy policy) const {
    return std::make_unique<sim_disk>(_options, model_at(count).after_power_cut(policy));
}

void sim_disk::flip_bit(std::string path, uint64_t offset, unsigned bit) {
    record({.kind = op_kind::flip_bit, .path = path, .node = _model.find_file(path), .position = offset * 8 + bit});
}

} // namespace sim
