#include "tables/segment_cursor.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>

namespace tables {

segment_cursor::segment_cursor(segment_ptr s, const block_skipper* skipper) : _segment(std::move(s)), _skipper(skipper) {}

void segment_cursor::seek(const key_range& range, seek_for wanted) {
    _from = range.from;
    _blocks = _segment->view().locate(range);
    _is_first = true;
    _block = nullptr;
    _page = nullptr;
    _is_hungry = _blocks.size() > 0;
    _first_page = wanted == seek_for::first_row && _is_hungry ? page_of_first_row() : std::nullopt;
    if (_first_page) {
        if (auto page = _segment->page_at_hand(*_first_page)) {
            try_page(std::move(page));
        }
    } else if (_is_hungry && _skipper == nullptr) {
        if (auto block = _segment->block_at_hand(_blocks.begin)) {
            enter(std::move(block));
        }
    }
}

// The directory has the first row with a *time* key; it is the first of all when the block it lies in has no others.
std::optional<size_t> segment_cursor::page_of_first_row() const {
    if (!_segment->is_ours(_from.partition_key) || _segment->view().block(_blocks.begin).text_keys_count != 0) {
        return std::nullopt;
    }
    return _segment->view().locate_page(_from.partition_key);
}

void segment_cursor::try_page(page_ptr page) {
    _first_page.reset();
    const auto& partitions = page->partitions();
    const auto found = partitions.find(_from.partition_key);
    if (!found) {
        return;
    }
    const auto partition = partitions[*found];
    if (!partition.newest_row) {
        return;
    }
    const auto row = partitions.newest_row(partition);
    if (row.row_key < _from.row_key) {
        return;
    }
    _row = row;
    _page = std::move(page);
    _is_hungry = false;
}

seastar::future<base::expected<void>> segment_cursor::feed() {
    if (_first_page) {
        // A damaged page only means that the block has to be read.
        if (auto page = co_await _segment->page(*_first_page)) {
            try_page(std::move(*page));
        }
        _first_page.reset();
    }
    while (_is_hungry) {
        co_await skip_blocks();
        if (_blocks.size() == 0) {
            _is_hungry = false;
            break;
        }
        if (is_lost(_blocks.begin)) {
            ++_blocks.begin;
            _is_first = false;
            continue;
        }
        auto block = co_await _segment->block(_blocks.begin);
        if (block) {
            enter(std::move(*block));
            continue;
        }
        if (!_passes_damage || !is_damage(block.error())) {
            co_return std::unexpected(block.error());
        }
        lose_block(_blocks.begin, std::move(block.error()));
    }
    co_return base::expected<void>();
}

void segment_cursor::lose_block(size_t block, base::error why) {
    auto lost = _segment->lost_block(block, std::move(why));
    _lost.push_back({block, lost});
    _damage.push_back(std::move(lost));
}

bool segment_cursor::is_lost(size_t block) const {
    return std::ranges::contains(_lost, block, &lost_block::number);
}

bool segment_cursor::may_have_lost(std::string_view partition_key, std::string_view row_key) const {
    if (_lost.empty()) [[likely]] {
        return false;
    }
    const auto time = base::parse_inverted(row_key.substr(0, base::inverted_digits));
    return std::ranges::any_of(_lost, [&](const lost_block& b) {
        const auto& [why, keys, newest, oldest] = b.what;
        const bool is_of_another_time = newest && oldest && (!time || *time > *newest || *time < *oldest);
        return keys.contains(partition_key, row_key) && !is_of_another_time;
    });
}

seastar::future<> segment_cursor::skip_blocks() {
    while (_skipper != nullptr && _blocks.size() > 0 && _skipper->can_skip(*_segment, _blocks.begin)) {
        ++_blocks.begin;
        co_await seastar::coroutine::maybe_yield();
    }
}

// The first of those still to be read.
void segment_cursor::enter(block_ptr block) {
    ++_blocks.begin;
    ++_blocks_read;
    _block = std::move(block);
    _index = _is_first ? _block->rows().lower_bound(_from.partition_key, _from.row_key) : 0;
    _is_first = false;
    _owned_end = 0;
    settle();
}

void segment_cursor::next() {
    if (_page) {
        _from.row_key.assign(_row.row_key).push_back('\0'); // right behind it
        _page = nullptr;
        _is_hungry = true;
        return;
    }
    ++_index;
    settle();
}

void segment_cursor::settle() {
    const auto& rows = _block->rows();
    if (_segment->is_partial()) {
        while (_index < rows.size() && _index >= _owned_end) {
            const auto end = rows.partition_end(_index);
            if (_segment->is_ours(rows.partition_key(_index))) {
                _owned_end = end;
            } else {
                _index = end;
            }
        }
    }
    if (_index < rows.size()) {
        _row = rows[_index];
        _is_hungry = false;
        return;
    }
    _block = nullptr;
    _is_hungry = _blocks.size() > 0;
}

} // namespace tables
