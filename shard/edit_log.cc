#include "shard/edit_log.hh"

#include <algorithm>
#include <system_error>

#include <seastar/core/align.hh>
#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>

#include "shard/disk_error.hh"

namespace shard {
namespace {

// Edits that wait together are encoded into one piece of memory.
constexpr size_t batch_bytes_max = 128 << 10;

uint64_t whole_blocks(uint64_t bytes) {
    return seastar::align_up<uint64_t>(bytes, edit_block_bytes);
}

// What is in the last block, when `bytes` begin at the beginning of one.
std::string tail_of(const std::string& bytes) {
    return bytes.substr(seastar::align_down(bytes.size(), edit_block_bytes));
}

std::optional<base::error> check_length(const std::string& edit) {
    if (edit.size() <= edit_bytes_max) {
        return std::nullopt;
    }
    return base::error{base::errc::invalid_argument, "an edit of " + std::to_string(edit.size()) + " bytes is too long"};
}

} // namespace

struct edit_log::batch {
    std::vector<std::string> edits;
    size_t bytes = 0;
    seastar::shared_promise<base::expected<void>> outcome;
};

edit_log::edit_log(disk& d, std::string path, edit_log_options options) : _disk(d), _path(std::move(path)), _options(options) {}

edit_log::~edit_log() = default;

seastar::future<> edit_log::close() {
    if (!_work.is_closed()) {
        co_await _work.close();
    }
    for (auto& slot : _slots) {
        for (auto& file : slot) {
            co_await file.close();
        }
    }
}

// --- appending --------------------------------------------------------------------------------------------------------

seastar::future<base::expected<void>> edit_log::append(std::string edit) {
    if (auto error = check_length(edit)) {
        co_return std::unexpected(std::move(*error));
    }
    const auto holder = _work.hold();
    const bool is_first = !_joining || _joining->bytes >= batch_bytes_max;
    if (is_first) {
        _joining = seastar::make_lw_shared<batch>();
    }
    const auto mine = _joining;
    mine->bytes += edit.size();
    mine->edits.push_back(std::move(edit));
    if (!is_first) {
        co_return co_await mine->outcome.get_shared_future();
    }
    const auto turn = co_await seastar::get_units(_turn, 1);
    if (_joining == mine) {
        _joining = nullptr;
    }
    auto outcome = co_await write_batch(std::move(mine->edits));
    mine->outcome.set_value(outcome);
    co_return outcome;
}

seastar::future<base::expected<void>> edit_log::write_batch(std::vector<std::string> edits) {
    if (_has_failed) {
        co_return std::unexpected(failed());
    }
    auto blocks = _tail;
    const auto seed = edit_seed(_header);
    const auto durable = _next_number - 1;
    for (size_t i = 0; i < edits.size(); ++i) {
        put_edit_frame(blocks, seed, {.number = _next_number + i, .durable = durable, .edit = edits[i]});
    }
    const auto position = _end - _tail.size();
    const auto end = position + blocks.size();
    if (auto room = co_await make_room(_live, end); !room) {
        co_return room;
    }
    auto tail = tail_of(blocks);
    blocks.resize(whole_blocks(blocks.size()));
    try {
        co_await write_live(position, blocks);
    } catch (const std::system_error& e) {
        co_return std::unexpected(fail(e));
    }
    _next_number += edits.size();
    set_end(end, std::move(tail));
    co_await make_room_for_snapshot();
    co_return base::expected<void>();
}

// One copy after the other: whatever a power cut does to the one being written, the other is whole.
seastar::future<> edit_log::write_live(uint64_t position, std::string_view blocks) {
    for (auto& file : _slots[_live]) {
        co_await file.write(position, blocks);
        co_await file.flush();
    }
}

void edit_log::set_end(uint64_t end, std::string tail) {
    _end = end;
    _used_end[_live] = end;
    _tail = std::move(tail);
}

// Sees to it that both files of a slot reach to `end`, and to the reserve beyond it while there is space.
seastar::future<base::expected<void>> edit_log::make_room(unsigned slot, uint64_t end) {
    if (end > edit_log_bytes_max) {
        co_return base::fail(base::errc::out_of_space, _path + ": the history is full; it must be rewritten");
    }
    auto& files = _slots[slot];
    const auto wanted = std::min(whole_blocks(end) + _options.reserve_bytes, edit_log_bytes_max);
    for (auto& file : files) {
        if (file.size_bytes() >= wanted) {
            continue;
        }
        try {
            co_await file.extend(std::min(wanted + _options.reserve_bytes, edit_log_bytes_max));
            co_await file.flush();
        } catch (const std::system_error& e) {
            auto error = error_of(e, _path);
            if (error.code == base::errc::out_of_space && file.size_bytes() >= whole_blocks(end)) {
                continue;
            }
            // A flush of a live file that failed is a failure of the log, whatever it was for.
            co_return std::unexpected(error.code == base::errc::out_of_space || slot != _live ? error : fail(e));
        }
    }
    co_return base::expected<void>();
}

// The other slot grows with the live one. Where there is no space now, the rewrite itself tries again.
seastar::future<> edit_log::make_room_for_snapshot() {
    co_await make_room(1 - _live, _end);
}

// Always io_error: a full disk that shows only when space is used that was there already (copy on write) is no better.
base::error edit_log::fail(const std::system_error& e) {
    _has_failed = true;
    return {base::errc::io_error, error_of(e, _path).detail};
}

base::error edit_log::failed() const {
    return {base::errc::log_failed, _path + ": an earlier write or flush failed; nothing more is taken until a restart"};
}

// --- rewriting --------------------------------------------------------------------------------------------------------

seastar::future<base::expected<void>> edit_log::rewrite(std::vector<std::string> edits) {
    const auto holder = _work.hold();
    for (const auto& edit : edits) {
        if (auto error = check_length(edit)) {
            co_return std::unexpected(std::move(*error));
        }
    }
    _joining = nullptr; // appends called from here on come behind the snapshot
    const auto turn = co_await seastar::get_units(_turn, 1);
    if (_has_failed) {
        co_return std::unexpected(failed());
    }
    const auto spare = 1 - _live;
    const edit_header header{_header.log_id, ++_last_generation, edits.size()};
    auto tail = co_await write_snapshot(spare, header, std::move(edits));
    if (!tail) {
        co_return std::unexpected(std::move(tail.error())); // the live slot was not touched
    }
    try {
        co_await write_header(spare, header);
    } catch (const std::system_error& e) {
        co_return std::unexpected(fail(e)); // nobody knows which slot the next start will find live
    }
    _live = spare;
    _header = header;
    _next_number = header.snapshot_count + 1;
    set_end(_used_end[spare], std::move(*tail));
    co_await make_room_for_snapshot();
    co_return base::expected<void>();
}

// Frames into both copies of a slot that is not live, zeros behind them, flushed. Returns what the last block holds.
seastar::future<base::expected<std::string>> edit_log::write_snapshot(unsigned slot, edit_header header,
                                                                      std::vector<std::string> edits) {
    uint64_t end = edit_block_bytes;
    for (const auto& edit : edits) {
        end += edit_frame{.edit = edit}.frame_bytes();
    }
    if (auto room = co_await make_room(slot, end); !room) {
        co_return std::unexpected(std::move(room.error()));
    }
    const auto stale_end = whole_blocks(std::max(_used_end[slot], end));
    _used_end[slot] = stale_end;
    try {
        auto tail = co_await write_frames(slot, edit_seed(header), std::move(edits));
        for (auto& file : _slots[slot]) {
            // Not beyond its end: one copy may be shorter, and making it longer needs space.
            co_await file.wipe(whole_blocks(end), std::min(stale_end, file.size_bytes()));
            co_await file.flush();
        }
        _used_end[slot] = end;
        co_return tail;
    } catch (const std::system_error& e) {
        co_return std::unexpected(error_of(e, _path));
    }
}

seastar::future<std::string> edit_log::write_frames(unsigned slot, uint64_t seed, std::vector<std::string> edits) {
    uint64_t position = edit_block_bytes;
    std::string blocks;
    for (size_t i = 0; i < edits.size(); ++i) {
        put_edit_frame(blocks, seed, {.number = i + 1, .durable = 0, .edit = edits[i]});
        if (blocks.size() >= batch_bytes_max) {
            const auto whole = seastar::align_down(blocks.size(), edit_block_bytes);
            co_await write_both(slot, position, std::string_view(blocks).substr(0, whole));
            position += whole;
            blocks.erase(0, whole);
        }
        co_await seastar::coroutine::maybe_yield();
    }
    auto tail = tail_of(blocks);
    blocks.resize(whole_blocks(blocks.size()));
    co_await write_both(slot, position, blocks);
    co_return tail;
}

seastar::future<> edit_log::write_both(unsigned slot, uint64_t position, std::string_view blocks) {
    for (auto& file : _slots[slot]) {
        co_await file.write(position, blocks);
    }
}

// The commit of a rewrite. The slot's frames are durable in both copies.
seastar::future<> edit_log::write_header(unsigned slot, edit_header header) {
    const auto block = encode_edit_header(header);
    for (auto& file : _slots[slot]) {
        co_await file.write(0, block);
        co_await file.flush();
    }
}

} // namespace shard
