#include "tables/segment_cursor.hh"

#include <seastar/core/coroutine.hh>

#include "base/placement.hh"

namespace tables {

segment_cursor::segment_cursor(segment_ptr s, unsigned shards_count) : _segment(std::move(s)), _shards_count(shards_count) {}

void segment_cursor::seek(const key_range& range) {
    _from = range.from;
    _blocks = _segment->view().locate(range);
    _is_first = true;
    _block = nullptr;
    _is_hungry = _blocks.size() > 0;
}

seastar::future<base::expected<void>> segment_cursor::feed() {
    while (_is_hungry) {
        if (_blocks.size() == 0) {
            _is_hungry = false;
            break;
        }
        auto block = co_await _segment->block(_blocks.begin++);
        if (!block) {
            co_return std::unexpected(block.error());
        }
        _block = std::move(*block);
        _index = _is_first ? _block->rows().lower_bound(_from.partition_key, _from.row_key) : 0;
        _is_first = false;
        _owned_end = 0;
        settle();
    }
    co_return base::expected<void>();
}

void segment_cursor::next() {
    ++_index;
    settle();
}

void segment_cursor::settle() {
    const auto& rows = _block->rows();
    if (_segment->is_shared()) {
        while (_index < rows.size() && _index >= _owned_end) {
            const auto end = rows.partition_end(_index);
            if (base::shard_of(rows.partition_key(_index), _shards_count) == seastar::this_shard_id()) {
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
