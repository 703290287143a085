// Opening an edit log: which slot is live, what its two copies say together, and making both whole again.

#include <algorithm>
#include <random>
#include <system_error>

#include <fmt/format.h>
#include <seastar/core/align.hh>
#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>

#include "shard/core/disk_path.hh"
#include "shard/disk_error.hh"
#include "shard/edit_log.hh"

namespace shard {
namespace {

constexpr std::array<std::array<const char*, edit_copies_count>, 2> suffixes{{{".0a", ".0b"}, {".1a", ".1b"}}};

bool is_zero(std::string_view bytes) {
    return bytes.find_first_not_of('\0') == std::string_view::npos;
}

uint64_t random_id() {
    std::random_device random;
    return uint64_t{random()} << 32 | random();
}

// Whole blocks [begin, end) of one copy.
struct block_range {
    uint64_t begin = 0;
    uint64_t end = 0;
};

// What a copy's repairs touch, joined where they meet: a file that was missing altogether needs one long write, not thousands.
std::vector<block_range> touched_blocks(const std::vector<edit_repair>& repairs, unsigned copy) {
    std::vector<block_range> ranges;
    for (const auto& repair : repairs) {
        if (repair.copy != copy) {
            continue;
        }
        const auto begin = seastar::align_down<uint64_t>(repair.position, edit_block_bytes);
        const auto end = seastar::align_up<uint64_t>(repair.position + repair.length, edit_block_bytes);
        if (!ranges.empty() && begin <= ranges.back().end) {
            ranges.back().end = std::max(ranges.back().end, end);
        } else {
            ranges.push_back({begin, end});
        }
    }
    return ranges;
}

} // namespace

seastar::future<base::expected<edit_log::opened>> edit_log::open(disk& d, std::string path, edit_log_options options) {
    std::unique_ptr<edit_log> log(new edit_log(d, std::move(path), options));
    auto result = co_await log->load();
    if (!result) {
        co_await log->close();
        co_return result;
    }
    result->log = std::move(log);
    co_return result;
}

seastar::future<base::expected<void>> edit_log::write_new(disk& d, std::string path, std::vector<std::string> edits) {
    auto made = co_await open(d, std::move(path));
    if (!made) {
        co_return std::unexpected(made.error());
    }
    auto written = co_await made->log->rewrite(std::move(edits));
    co_await made->log->close();
    co_return written;
}

seastar::future<base::expected<edit_log::opened>> edit_log::load() {
    try {
        co_await open_files();
        if (auto found = co_await find_live_slot(); !found) {
            co_return std::unexpected(std::move(found.error()));
        }
        if (_header.generation != 0) {
            co_return co_await read_history();
        }
        co_await create();
        opened result;
        result.report.was_created = true;
        co_return result;
    } catch (const std::system_error& e) {
        co_return std::unexpected(error_of(e, _path));
    }
}

seastar::future<> edit_log::open_files() {
    for (unsigned slot = 0; slot < _slots.size(); ++slot) {
        for (unsigned copy = 0; copy < edit_copies_count; ++copy) {
            co_await _slots[slot][copy].open(_disk, _path + suffixes[slot][copy]);
            _used_end[slot] = std::max(_used_end[slot], _slots[slot][copy].size_bytes());
        }
    }
    // Also when nothing was created now: an earlier process may have ended between creating a file and syncing its name.
    co_await _disk.sync_directory(folder_of(_path));
}

// Leaves _header.generation at 0 for a log that was never finished being created.
seastar::future<base::expected<void>> edit_log::find_live_slot() {
    for (unsigned slot = 0; slot < _slots.size(); ++slot) {
        for (auto& file : _slots[slot]) {
            const auto header = parse_edit_header(co_await file.read(edit_block_bytes));
            if (!header && header.error().code == base::errc::newer_format) {
                co_return base::fail(base::errc::newer_format, _path + ": " + header.error().detail);
            }
            if (header && header->generation > _header.generation) {
                _header = *header;
                _live = slot;
            }
        }
    }
    _last_generation = _header.generation;
    if (_header.generation == 0 && !co_await is_blank()) {
        co_return base::fail(base::errc::corrupt, _path + ": no copy of the header is left");
    }
    co_return base::expected<void>();
}

// Creation writes the first header last, to the first copy and then to the second. So without any header, only the first one's
// block may hold something: the torn beginning of it.
seastar::future<bool> edit_log::is_blank() {
    for (unsigned slot = 0; slot < _slots.size(); ++slot) {
        for (unsigned copy = 0; copy < edit_copies_count; ++copy) {
            auto& file = _slots[slot][copy];
            const auto content = co_await file.read(std::min(file.size_bytes(), edit_log_bytes_max));
            const bool may_be_torn = slot == 0 && copy == 0;
            if (!is_zero(std::string_view(content).substr(may_be_torn ? std::min(content.size(), edit_block_bytes) : 0))) {
                co_return false;
            }
        }
    }
    co_return true;
}

seastar::future<> edit_log::create() {
    for (auto& slot : _slots) {
        for (auto& file : slot) {
            co_await file.extend(edit_block_bytes + 2 * _options.reserve_bytes);
            co_await file.flush();
        }
    }
    _used_end = {edit_block_bytes, edit_block_bytes};
    _last_generation = 1;
    _header = {.log_id = random_id(), .generation = 1};
    co_await write_header(_live, _header);
}

seastar::future<base::expected<edit_log::opened>> edit_log::read_history() {
    auto& files = _slots[_live];
    const auto length = std::clamp(_used_end[_live], uint64_t{edit_block_bytes}, edit_log_bytes_max);
    std::array<std::string, edit_copies_count> copies;
    for (unsigned copy = 0; copy < edit_copies_count; ++copy) {
        copies[copy] = co_await files[copy].read(length);
    }
    edit_merger merger({copies[0], copies[1]}, _header);
    opened result;
    while (const auto edit = merger.next()) {
        result.edits.emplace_back(*edit);
        co_await seastar::coroutine::maybe_yield();
    }
    result.report.repairs_count = static_cast<unsigned>(merger.repairs().size());
    result.report.lost = merger.lost();
    _next_number = merger.next_number();
    apply_repairs(copies, merger.repairs());
    const auto begin = seastar::align_down<uint64_t>(merger.end(), edit_block_bytes);
    set_end(merger.end(), copies[0].substr(begin, merger.end() - begin));
    if (auto healed = co_await heal(std::move(copies), merger.repairs()); !healed) {
        co_return std::unexpected(std::move(healed.error()));
    }
    co_return result;
}

// `copies` are as they should be; `repairs` tell where the files differ.
seastar::future<base::expected<void>> edit_log::heal(std::array<std::string, edit_copies_count> copies,
                                                     std::vector<edit_repair> repairs) {
    if (auto room = co_await make_room(_live, _end); !room) {
        co_return room;
    }
    for (unsigned copy = 0; copy < edit_copies_count; ++copy) {
        auto& file = _slots[_live][copy];
        for (const auto range : touched_blocks(repairs, copy)) {
            co_await file.write(range.begin, std::string_view(copies[copy]).substr(range.begin, range.end - range.begin));
        }
        // Also when nothing was repaired: what an earlier process wrote may not have been flushed, and is history from now on.
        co_await file.flush();
    }
    co_return base::expected<void>();
}

seastar::future<base::expected<std::vector<std::string>>> edit_log::check() {
    const auto holder = _work.hold();
    const auto turn = co_await seastar::get_units(_turn, 1);
    if (_has_failed) {
        co_return std::unexpected(failed());
    }
    std::array<std::string, edit_copies_count> copies;
    try {
        for (unsigned copy = 0; copy < edit_copies_count; ++copy) {
            copies[copy] = co_await _slots[_live][copy].read(seastar::align_up<uint64_t>(_end, edit_block_bytes));
        }
    } catch (const std::system_error& e) {
        co_return std::unexpected(error_of(e, _path));
    }
    edit_merger merger({copies[0], copies[1]}, _header);
    while (merger.next()) {
        co_await seastar::coroutine::maybe_yield();
    }
    std::vector<std::string> damage;
    for (const auto& repair : merger.repairs()) {
        damage.push_back(fmt::format("{}{}, bytes {} to {}: damaged in this copy, whole in the other", _path,
                                     suffixes[_live][repair.copy], repair.position, repair.position + repair.length));
    }
    for (const auto& lost : merger.lost()) {
        damage.push_back(
            fmt::format("{}: edits {} to {} are damaged in both copies", _path, lost.first_number, lost.next_number - 1));
    }
    co_return damage;
}

} // namespace shard
