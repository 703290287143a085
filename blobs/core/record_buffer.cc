#include "blobs/core/record_buffer.hh"

#include <algorithm>
#include <cassert>

#include "base/coding.hh"
#include "blobs/core/record_code.hh"

namespace blobs {
namespace {

// Memory comes in pieces that any allocator has; a small source takes a small one.
constexpr size_t chunk_bytes_first = 4 * 1'024;
constexpr size_t chunk_bytes_max = 128 * 1'024;
// As many are put in order at a time, before many thousands are, which would keep everybody waiting. Sorting these takes less
// than a millisecond; those that are an hour late are then merged with what came since, some milliseconds at worst.
constexpr size_t unsorted_max = 4'096;

} // namespace

void record_buffer::add(const record& r, std::string_view coded) {
    if (_chunks.empty() || _chunks.back().capacity() - _chunks.back().size() < coded.size()) {
        const size_t wanted = _chunks.empty() ? chunk_bytes_first : std::min(2 * _chunks.back().capacity(), chunk_bytes_max);
        _chunks.emplace_back().reserve(std::max(wanted, coded.size()));
        _memory_bytes += _chunks.back().capacity();
    }
    const bool is_in_order = _sorted == _index.size() && (is_empty() || _index.back().order < r.order);
    _index.push_back({r.order, static_cast<uint32_t>(_chunks.size() - 1), static_cast<uint32_t>(_chunks.back().size())});
    _chunks.back() += coded;
    _sorted += is_in_order ? 1 : 0;
    _raw_bytes += r.text.size() + 1;
    _memory_bytes += sizeof(entry);
    _levels |= level_bit(r.level);
    if (unsorted_count() >= unsorted_max) {
        sort();
    }
}

void record_buffer::sort() {
    const auto middle = _index.begin() + static_cast<ptrdiff_t>(_sorted);
    std::ranges::sort(middle, _index.end(), {}, &entry::order);
    // What is before the least of the new ones stays where it is.
    const auto begin =
        middle == _index.end() ? middle : std::ranges::upper_bound(_index.begin(), middle, middle->order, {}, &entry::order);
    std::ranges::inplace_merge(begin, middle, _index.end(), {}, &entry::order);
    _sorted = _index.size();
}

record record_buffer::read(size_t i, std::vector<base::property>& fields) const {
    assert(_sorted == _index.size());
    const auto& at = _index[i];
    const std::string_view chunk = _chunks[at.chunk];
    base::byte_reader in(chunk.substr(at.begin));
    auto r = take_record(in, fields);
    assert(in.ok());
    r.order = at.order;
    return r;
}

size_t record_buffer::lower_bound(const record_order& order) const {
    assert(_sorted == _index.size());
    return static_cast<size_t>(std::ranges::lower_bound(_index, order, {}, &entry::order) - _index.begin());
}

block_facts record_buffer::facts() const {
    assert(_sorted == _index.size() && !is_empty());
    return {static_cast<uint32_t>(size()), static_cast<uint32_t>(_raw_bytes), _index.front().order.time_ns,
            _index.back().order.time_ns, _levels};
}

} // namespace blobs
