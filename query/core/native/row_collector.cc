#include "query/core/native/row_collector.hh"

#include <algorithm>
#include <cassert>
#include <utility>

#include "query/core/native/row_time.hh"

namespace query {
namespace {

// So that a message needs no large piece of memory.
constexpr size_t batch_bytes_max = 96 << 10;
// Below this many bytes packing anew saves nothing worth the work.
constexpr size_t repack_bytes_min = 1 << 20;
// A page of fewer rows is of no use.
constexpr size_t rows_min = 16;
// Rows that are put in order in one go.
constexpr size_t run_rows = 4'096;

} // namespace

row_collector::row_collector(const plan& p, size_t rows_max) : _plan(&p), _rows_max(rows_max) {
    assert(rows_max > 0);
}

row_collector row_collector::successor() const {
    row_collector next(*_plan, _rows_max);
    next._worst = _worst;
    next._is_short = _is_short;
    return next;
}

position_view row_collector::position_of(const found_row& r) const {
    return {r.time_ns, r.origin, _plan->parts[r.part].id.value, r.row.partition_key, r.row.row_key};
}

void row_collector::add(uint32_t part, std::vector<tables::owned_rows> batches, const std::vector<tables::batch_row>& rows) {
    const auto origin = _plan->parts[part].origin;
    const auto kind = _plan->origins[origin].kind;
    for (const auto& row : rows) {
        if (const auto time = row_time(kind, row.row_key)) {
            _kept.push_back({*time, &_rows.emplace_back(*time, part, origin, row)});
        }
    }
    for (auto& b : batches) {
        _bytes += b.rows().bytes().size();
        _batches.push_back(std::move(b));
    }
    if (_kept.size() / 2 >= _rows_max || (_kept.size() >= _rows_max && !_worst)) {
        drop_worse();
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

bool row_collector::is_better(const kept_row& a, const kept_row& b) const {
    if (a.time_ns != b.time_ns) [[likely]] {
        return (a.time_ns < b.time_ns) == (_plan->asked.order == order_kind::ascending);
    }
    return comes_before(position_of(*a), position_of(*b), _plan->asked.order);
}

void row_collector::drop_worse() {
    if (_kept.size() < _rows_max) {
        return;
    }
    const auto last = _kept.begin() + static_cast<std::ptrdiff_t>(_rows_max) - 1;
    std::ranges::nth_element(_kept, last, [this](const kept_row& a, const kept_row& b) { return is_better(a, b); });
    _worst = last->time_ns;
    _kept.resize(_rows_max);
    _is_loose = _bytes >= repack_bytes_min;
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
    return true;
}

std::optional<part_batch> row_collector::pack_some() {
    if (_packed == 0) {
        drop_worse();
    }
    while (_packed < _kept.size()) {
        const auto& r = *_kept[_packed++];
        auto& builder = _packing.try_emplace(r.part, _plan->parts[r.part].id).first->second;
        builder.add_row(tables::row_kind::put, r.row.partition_key, r.row.row_key, r.row.row, r.row.timestamp);
        if (builder.bytes().size() >= batch_bytes_max) {
            return part_batch{r.part, builder.take()};
        }
    }
    while (!_packing.empty()) {
        auto last = _packing.extract(_packing.begin());
        if (!last.mapped().empty()) {
            return part_batch{last.key(), last.mapped().take()};
        }
    }
    return std::nullopt;
}

void row_collector::sort_run() {
    const size_t end = std::min(_sorted + run_rows, _kept.size());
    const auto at = [this](size_t i) { return _kept.begin() + static_cast<std::ptrdiff_t>(i); };
    std::sort(at(_sorted), at(end), [this](const kept_row& a, const kept_row& b) { return is_better(a, b); });
    _runs.emplace_back(_sorted, end);
    _sorted = end;
}

void row_collector::merge_runs() {
    const auto is_behind = [this](const auto& a, const auto& b) { return is_better(_kept[b.first], _kept[a.first]); };
    if (_merged.empty()) {
        std::ranges::make_heap(_runs, is_behind);
    }
    for (size_t i = 0; i < run_rows && !_runs.empty(); ++i) {
        std::ranges::pop_heap(_runs, is_behind);
        auto& [begin, end] = _runs.back();
        _merged.push_back(_kept[begin++]);
        if (begin == end) {
            _runs.pop_back();
        } else {
            std::ranges::push_heap(_runs, is_behind);
        }
    }
    if (_runs.empty()) {
        _kept = std::exchange(_merged, {});
    }
}

bool row_collector::finish_some() {
    if (_is_sorted) {
        return false;
    }
    if (!std::exchange(_is_finishing, true)) {
        drop_worse();
    }
    if (_sorted < _kept.size()) {
        sort_run();
        _is_sorted = _runs.size() == 1 && _sorted == _kept.size();
    } else {
        merge_runs();
        _is_sorted = _runs.empty();
    }
    return !_is_sorted;
}

const std::deque<row_collector::kept_row>& row_collector::finish() {
    while (finish_some()) {
    }
    return _kept;
}

} // namespace query
