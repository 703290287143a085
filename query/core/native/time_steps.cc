#include "query/core/native/time_steps.hh"

#include <algorithm>

namespace query {
namespace {

// A trial that is given up is cut to this share, until it is so short that cutting it again would help nobody.
constexpr int64_t cut_share = 64;
constexpr int64_t trial_ns_min = 1'000;
// What a trial may do, at first: a page that is longer may look at as many rows as it has. Finding out that there are too many
// partitions is cheap, and a shorter step does not always have fewer.
constexpr uint64_t trial_rows_min = 4'096;
constexpr size_t trial_partitions_min = 64;
constexpr size_t trial_partitions_growth = 16;
constexpr size_t trial_partitions_most = size_t{1} << 40;

std::vector<time_range> steps_back(const std::vector<time_range>& periods, time_range range) {
    std::vector<int64_t> starts;
    for (const auto& p : periods) {
        if (p.start_ns > range.start_ns && p.start_ns < range.end_ns) {
            starts.push_back(p.start_ns);
        }
    }
    std::ranges::sort(starts, std::greater());
    starts.erase(std::ranges::unique(starts).begin(), starts.end());
    std::vector<time_range> steps;
    int64_t end = range.end_ns;
    for (size_t at = 0, count = 1; at + count <= starts.size(); at += count, count *= 2) {
        const int64_t start = starts[at + count - 1];
        steps.push_back({start, end});
        end = start;
    }
    steps.push_back({range.start_ns, end});
    return steps;
}

} // namespace

time_steps::time_steps(const plan& p, time_range range, size_t rows_max)
    : _left(range), _bounds{std::max<uint64_t>(trial_rows_min, rows_max), trial_partitions_min} {
    std::vector<time_range> periods;
    for (const auto& part : p.parts) {
        if (p.origin_of(part).kind == origin_kind::family) {
            periods.push_back(part.covers);
        }
    }
    if (p.asked.order == order_kind::descending) {
        _listed = steps_back(periods, range);
        std::ranges::reverse(_listed);
    } else if (periods.empty()) {
        _listed = {range};
    } else {
        _span = range.common({std::ranges::min(periods, {}, &time_range::start_ns).start_ns,
                              std::ranges::max(periods, {}, &time_range::end_ns).end_ns});
        _width = static_cast<__int128>(_span.end_ns) - _span.start_ns;
    }
    _is_over = !_listed.empty();
}

std::optional<time_range> time_steps::next() const {
    if (is_listed()) {
        return _listed.back();
    }
    if (_is_over) {
        return std::nullopt;
    }
    const auto end = std::max(_left.start_ns, _span.start_ns) + _width;
    return time_range{_left.start_ns, end < _span.end_ns ? static_cast<int64_t>(end) : _left.end_ns};
}

std::optional<trial_bounds> time_steps::bounds() const {
    return is_listed() || _width <= trial_ns_min ? std::nullopt : std::optional(_bounds);
}

void time_steps::take(uint64_t rows_examined) {
    if (is_listed()) {
        _listed.pop_back();
        return;
    }
    const auto done = next();
    _is_over = !done || done->end_ns >= _left.end_ns;
    _left.start_ns = done ? done->end_ns : _left.end_ns;
    // A trial may look at as many rows as all before it have, so that it is the half of the work at most that is done in vain,
    // and steps grow as fast.
    _rows_examined += rows_examined;
    _bounds.rows_max = std::max(_bounds.rows_max, _rows_examined);
    // At the same density the next one has at most what it may have.
    if (rows_examined <= _bounds.rows_max / 2) {
        _width *= rows_examined <= _bounds.rows_max / 4 ? 4 : 2;
    }
    _width = std::min(_width, __int128{1} << 64);
}

void time_steps::cut(time_range rows) {
    // From where to where they are is only known while the whole range is looked at. An end that is not known stays as it was.
    const time_range known{rows.start_ns == time_range::always ? _span.start_ns : std::max(rows.start_ns, _left.start_ns),
                           rows.end_ns == time_range::forever ? _span.end_ns : std::min(rows.end_ns, _left.end_ns)};
    if (next()->end_ns == _left.end_ns && !known.is_empty()) {
        _span = known;
        _width = static_cast<__int128>(_span.end_ns) - _span.start_ns;
    }
    _width = std::max<__int128>(_width / cut_share, trial_ns_min);
    _bounds.partitions_max = std::min(_bounds.partitions_max * trial_partitions_growth, trial_partitions_most);
}

} // namespace query
