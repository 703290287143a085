#include "tables/merge_cursor.hh"

#include <algorithm>
#include <iterator>

#include <seastar/core/coroutine.hh>

namespace tables {

merge_cursor::merge_cursor(const read_view& view, const block_skipper* skipper) {
    for (const auto& m : view.memtables) {
        _memtables.emplace_back(*m, view.snapshot);
    }
    for (const auto& s : view.segments) {
        _segments.emplace_back(s, skipper);
    }
}

void merge_cursor::seek(const key_range& range, seek_for wanted) {
    for (auto& m : _memtables) {
        m.seek(range.from.partition_key, range.from.row_key);
    }
    for (auto& s : _segments) {
        s.seek(range, wanted);
    }
    settle();
}

// All that stand on the key go on, also those whose version did not matter.
void merge_cursor::next() {
    const auto is_here = [this](std::string_view pk, std::string_view rk) { return rk == _row_key && pk == _partition_key; };
    for (auto& m : _memtables) {
        if (!m.is_end() && is_here(m.partition_key(), m.row_key())) {
            m.next();
        }
    }
    // The key may lie in one of the blocks, which goes with the step: first all comparisons, then the steps.
    _moving.clear();
    for (auto& s : _segments) {
        if (!s.is_end() && is_here(s.row().partition_key, s.row().row_key)) {
            _moving.push_back(&s);
        }
    }
    for (auto* s : _moving) {
        s->next();
    }
    settle();
}

seastar::future<base::expected<void>> merge_cursor::feed() {
    for (auto& s : _segments) {
        if (s.is_hungry()) {
            if (auto fed = co_await s.feed(); !fed) {
                co_return fed;
            }
        }
    }
    settle();
    co_return base::expected<void>();
}

uint64_t merge_cursor::blocks_read() const {
    return std::ranges::fold_left(_segments, uint64_t{0}, [](uint64_t sum, const auto& s) { return sum + s.blocks_read(); });
}

void merge_cursor::pass_damage() {
    std::ranges::for_each(_segments, &segment_cursor::pass_damage);
}

damage_list merge_cursor::take_damage() {
    damage_list all;
    for (auto& s : _segments) {
        std::ranges::move(s.take_damage(), std::back_inserter(all));
    }
    return all;
}

void merge_cursor::settle() {
    _versions.clear();
    _is_sure = true;
    _is_hungry = std::ranges::any_of(_segments, &segment_cursor::is_hungry);
    if (_is_hungry) {
        return;
    }
    bool has_key = false;
    const auto offer = [&](std::string_view pk, std::string_view rk) {
        const auto order = has_key ? pk.compare(_partition_key) : -1;
        if (order < 0 || (order == 0 && rk < _row_key)) {
            _partition_key = pk;
            _row_key = rk;
            has_key = true;
        }
    };
    std::ranges::for_each(_memtables, [&](const auto& m) {
        if (!m.is_end()) {
            offer(m.partition_key(), m.row_key());
        }
    });
    std::ranges::for_each(_segments, [&](const auto& s) {
        if (!s.is_end()) {
            offer(s.row().partition_key, s.row().row_key);
        }
    });
    if (has_key) {
        collect();
    }
}

void merge_cursor::collect() {
    for (const auto& m : _memtables) {
        if (is_decided(_versions)) {
            return;
        }
        if (!m.is_end() && m.row_key() == _row_key && m.partition_key() == _partition_key) {
            const auto some = m.versions();
            _versions.insert(_versions.end(), some.begin(), some.end());
        }
    }
    for (const auto& s : _segments) {
        if (is_decided(_versions)) {
            return;
        }
        if (!s.is_end() && s.row().row_key == _row_key && s.row().partition_key == _partition_key) {
            const auto& row = s.row();
            _versions.push_back({{}, row.kind, row.timestamp, row.row});
        } else if (s.may_have_lost(_partition_key, _row_key)) {
            _is_sure = false;
        }
    }
}

} // namespace tables
