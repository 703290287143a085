#include "tables/table.hh"

#include <algorithm>
#include <utility>

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>
#include <seastar/util/assert.hh>

namespace tables {

read_view table::view(base::sequence snapshot) const {
    read_view view{.memtables = {_rows}, .segments = _segments, .snapshot = snapshot};
    if (_frozen) {
        view.memtables.push_back(_frozen);
    }
    return view;
}

void table::insert(const row_batch_reader& rows, base::sequence first) {
    const auto before = _rows->facts().partitions_count;
    _rows->insert(rows, first);
    if (_rows->facts().partitions_count != before) {
        _made->fetch_add(1, std::memory_order_release);
    }
}

void table::freeze() {
    SEASTAR_ASSERT(!_frozen);
    _frozen = std::exchange(_rows, seastar::make_lw_shared<memtable>());
    ++_rows_number;
}

uint64_t table::known_count(const partitions_mark& mark, const memtable_ptr& m) const {
    const auto number = m == _rows ? _rows_number : _rows_number - 1;
    const auto count = m->facts().partitions_count;
    return mark.memtable > number ? count : mark.memtable == number ? mark.count : 0;
}

memtable_ptr table::replace_frozen(const std::vector<segment_ptr>& segments) {
    for (const auto& s : segments) {
        s->set_brings({_rows_number - 1, _frozen->facts().partitions_count});
    }
    _segments.insert(_segments.begin(), segments.begin(), segments.end());
    ++_generation;
    return std::exchange(_frozen, nullptr);
}

std::vector<memtable_ptr> table::take_memory() {
    std::vector<memtable_ptr> memory{std::exchange(_rows, seastar::make_lw_shared<memtable>())};
    if (_frozen) {
        memory.push_back(std::exchange(_frozen, nullptr));
    }
    _segments.clear();
    return memory;
}

void table::replace_segments(const std::vector<segment_ptr>& old, const std::vector<segment_ptr>& merged) {
    const auto first = std::ranges::find(_segments, old.front());
    SEASTAR_ASSERT(std::distance(first, _segments.end()) >= std::ssize(old) && std::equal(old.begin(), old.end(), first));
    const auto brought = std::ranges::max(old, {}, &segment::brings)->brings();
    for (const auto& s : merged) {
        s->set_brings(brought);
    }
    const auto place = _segments.erase(first, first + std::ssize(old));
    _segments.insert(place, merged.begin(), merged.end());
    ++_generation;
}

void table::add_segment(segment_ptr s) {
    const auto newer = [](const segment_ptr& a, const segment_ptr& b) {
        return a->facts().sequence_max > b->facts().sequence_max;
    };
    s->set_brings({.memtable = 0, .count = 1}); // more than who knows nothing
    _segments.insert(std::ranges::upper_bound(_segments, s, newer), s);
    ++_generation;
}

seastar::future<> free_in_steps(memtable_ptr m) {
    while (m->clear_step()) {
        co_await seastar::coroutine::maybe_yield();
    }
}

} // namespace tables
