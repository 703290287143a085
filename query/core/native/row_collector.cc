#include "query/core/native/row_collector.hh"

#include <algorithm>
#include <cassert>
#include <map>

#include "query/core/native/row_time.hh"

namespace query {
namespace {

// So that a message needs no large piece of memory.
constexpr size_t batch_bytes_max = 96 << 10;
// Below this many bytes packing anew saves nothing worth the work.
constexpr size_t repack_bytes_min = 1 << 20;
// A page of fewer rows is of no use.
constexpr size_t rows_min = 16;

} // namespace

row_collector::row_collector(const plan& p, size_t rows_max) : _plan(p), _rows_max(rows_max) {
    assert(rows_max > 0);
}

position_view row_collector::position_of(const found_row& r) const {
    return {r.time_ns, r.origin, _plan.parts[r.part].id.value, r.row.partition_key, r.row.row_key};
}

void row_collector::add(uint32_t part, std::vector<tables::owned_rows> batches, const std::vector<tables::batch_row>& rows) {
    const auto origin = _plan.parts[part].origin;
    const auto kind = _plan.origins[origin].kind;
    for (const auto& row : rows) {
        if (const auto time = row_time(kind, row.row_key)) {
            _kept.push_back(&_rows.emplace_back(*time, part, origin, row));
        }
    }
    for (auto& b : batches) {
        _bytes += b.rows().bytes().size();
        _batches.push_back(std::move(b));
    }
    if (_kept.size() / 2 >= _rows_max || (_kept.size() >= _rows_max && !_worst)) {
        keep_best();
    }
}

base::expected<void> row_collector::add(part_batch batch) {
    auto opened = tables::owned_rows::open(std::move(batch.bytes));
    if (!opened) {
        return std::unexpected(opened.error());
    }
    std::vector<tables::batch_row> rows;
    for (const auto& row : opened->rows()) {
        rows.push_back(row);
    }
    std::vector<tables::owned_rows> one;
    one.push_back(std::move(*opened));
    add(batch.part, std::move(one), rows);
    return {};
}

bool row_collector::is_better(const found_row* a, const found_row* b) const {
    if (a->time_ns != b->time_ns) [[likely]] {
        return (a->time_ns < b->time_ns) == (_plan.asked.order == order_kind::ascending);
    }
    return comes_before(position_of(*a), position_of(*b), _plan.asked.order);
}

void row_collector::drop_worse() {
    if (_kept.size() < _rows_max) {
        return;
    }
    const auto last = _kept.begin() + static_cast<std::ptrdiff_t>(_rows_max) - 1;
    std::ranges::nth_element(_kept, last, [this](auto* a, auto* b) { return is_better(a, b); });
    _worst = (*last)->time_ns;
    _kept.resize(_rows_max);
}

void row_collector::keep_best() {
    drop_worse();
    if (_bytes >= repack_bytes_min) {
        repack();
    }
}

void row_collector::shorten(size_t rows_max) {
    _rows_max = rows_max;
    _is_short = true;
    drop_worse();
}

bool row_collector::shrink() {
    if (_kept.size() < 2 * rows_min) {
        return false;
    }
    if (_kept.size() > _rows_max) {
        drop_worse();
    } else {
        shorten(_kept.size() / 2);
    }
    repack();
    return true;
}

// Copies what is kept, so that the batches it came in can go.
void row_collector::repack() {
    auto packed = pack();
    _kept.clear();
    _rows.clear();
    _batches.clear();
    _bytes = 0;
    const size_t kept = std::exchange(_rows_max, SIZE_MAX); // nothing is to be dropped on the way back in
    for (auto& batch : packed) {
        [[maybe_unused]] const auto added = add(std::move(batch));
        assert(added);
    }
    _rows_max = kept;
}

std::vector<part_batch> row_collector::pack() {
    drop_worse();
    std::vector<part_batch> packed;
    std::map<uint32_t, tables::row_batch_builder> builders;
    for (const auto* kept : _kept) {
        const auto& r = *kept;
        auto& builder = builders.try_emplace(r.part, _plan.parts[r.part].id).first->second;
        builder.add_row(tables::row_kind::put, r.row.partition_key, r.row.row_key, r.row.row, r.row.timestamp);
        if (builder.bytes().size() >= batch_bytes_max) {
            packed.push_back({r.part, builder.take()});
        }
    }
    for (auto& [part, builder] : builders) {
        if (!builder.empty()) {
            packed.push_back({part, builder.take()});
        }
    }
    return packed;
}

const std::deque<const found_row*>& row_collector::finish() {
    drop_worse();
    std::ranges::sort(_kept, [this](auto* a, auto* b) { return is_better(a, b); });
    return _kept;
}

} // namespace query
