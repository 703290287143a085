#include "query/core/native/aggregate_state.hh"

#include <algorithm>
#include <cmath>
#include <limits>

#include "query/core/native/json_text.hh"
#include "query/core/value_order.hh"

namespace query {
namespace {

using tables::value;
using tables::value_type;

std::optional<literal> real(double v) {
    return literal(value::of_real(v));
}

double rank_of(aggregate_kind kind) {
    switch (kind) {
    case aggregate_kind::p50: return 0.50;
    case aggregate_kind::p90: return 0.90;
    case aggregate_kind::p95: return 0.95;
    default: return 0.99;
    }
}

// In halves, which cannot overflow in a block, and which the compiler adds up several at a time.
__int128 whole_sum(std::span<const int64_t> values) {
    int64_t high = 0;
    uint64_t low = 0;
    for (const int64_t v : values) {
        high += v >> 32;
        low += static_cast<uint32_t>(v);
    }
    return static_cast<__int128>(high) * (int64_t{1} << 32) + static_cast<__int128>(low);
}

std::string sort_text(const value& v) {
    std::string text(1, static_cast<char>(v.type()));
    append_plain_value(v, text);
    return text;
}

// Some total order over values of all types, for ends of the same time: numbers by their values, before all others.
bool comes_before_at_one_time(const value& a, const value& b) {
    const auto x = number::of(a);
    const auto y = number::of(b);
    if (x.has_value() != y.has_value()) {
        return x.has_value();
    }
    if (x && (x->is_less(*y) || y->is_less(*x))) {
        return x->is_less(*y);
    }
    return sort_text(a) < sort_text(b);
}

} // namespace

bool number::is_less(const number& other) const {
    if (is_integer == other.is_integer) {
        return is_integer ? integer < other.integer : real < other.real;
    }
    return is_integer ? order_of_values(integer, other.real) == order::less
                      : order_of_values(other.integer, real) == order::greater;
}

std::optional<number> number::of(const tables::value& v) {
    switch (v.type()) {
    case value_type::int32: return number{true, v.as_int32(), static_cast<double>(v.as_int32())};
    case value_type::int64: return number{true, v.as_int64(), static_cast<double>(v.as_int64())};
    case value_type::real: return std::isnan(v.as_real()) ? std::nullopt : std::optional(number{false, 0, v.as_real()});
    default: return std::nullopt;
    }
}

// Two values of one time: the lesser is first, the greater last, so that the order of arrival does not matter.
void aggregate_state::take_end(int64_t time_ns, const value& v, bool is_last) {
    const bool is_better = !_end || (is_last ? time_ns > _end->time_ns : time_ns < _end->time_ns) ||
                           (time_ns == _end->time_ns && comes_before_at_one_time(v, _end->value.value()) != is_last);
    if (is_better) {
        _end.emplace(time_ns, literal(v)); // not assigned: a long text before it would stay allocated
    }
}

// Neumaier's sum: the error does not grow with the number of values.
void aggregate_state::add_sum(double v) {
    const double sum = _sum + v;
    if (std::isfinite(sum)) {
        _compensation += std::abs(_sum) >= std::abs(v) ? (_sum - sum) + v : (v - sum) + _sum;
    }
    _sum = sum;
}

void aggregate_state::add(state_kind kind, int64_t time_ns, const value& v) {
    if (kind == state_kind::count) {
        ++_count;
        return;
    }
    if (kind == state_kind::first || kind == state_kind::last) {
        take_end(time_ns, v, kind == state_kind::last);
        return;
    }
    const auto n = number::of(v);
    if (!n) {
        return;
    }
    ++_count;
    if (kind == state_kind::sum) {
        _has_reals |= !n->is_integer;
        n->is_integer ? void(_integers += n->integer) : add_sum(n->real);
    } else if (kind == state_kind::extremes) {
        _min = !_min || n->is_less(*_min) ? n : _min;
        _max = !_max || _max->is_less(*n) ? n : _max;
    } else if (kind == state_kind::moments) {
        // Welford: mean and squares about it, without the cancellation of a difference of large sums.
        const double delta = n->real - _sum;
        _sum += delta / static_cast<double>(_count);
        _compensation += delta * (n->real - _sum);
    } else if (kind == state_kind::quantiles) {
        if (!_quantiles) {
            _quantiles = std::make_unique<quantiles>();
        }
        _quantiles->add(n->real);
    }
}

// Plain loops, not Arrow's kernels: a bucket has tens of values of a block, and calling a kernel costs more than adding them.
void aggregate_state::add_integers(state_kind kind, const arrow::Int64Array& values, int64_t begin, int64_t end) {
    if (kind == state_kind::sum && values.null_count() == 0) {
        _count += static_cast<uint64_t>(end - begin);
        _integers += whole_sum({values.raw_values() + begin, static_cast<size_t>(end - begin)});
        return;
    }
    __int128 sum = 0;
    int64_t least = std::numeric_limits<int64_t>::max();
    int64_t greatest = std::numeric_limits<int64_t>::min();
    size_t count = 0;
    const bool has_nulls = values.null_count() > 0;
    for (int64_t i = begin; i < end; ++i) {
        if (has_nulls && values.IsNull(i)) {
            continue;
        }
        const int64_t v = values.Value(i);
        sum += v;
        least = std::min(least, v);
        greatest = std::max(greatest, v);
        ++count;
    }
    if (count == 0) {
        return;
    }
    _count += count;
    if (kind == state_kind::sum) {
        _integers += sum;
        return;
    }
    const number low{true, least, static_cast<double>(least)};
    const number high{true, greatest, static_cast<double>(greatest)};
    _min = !_min || low.is_less(*_min) ? low : _min;
    _max = !_max || _max->is_less(high) ? high : _max;
}

void aggregate_state::add_reals(state_kind kind, const arrow::DoubleArray& values, int64_t begin, int64_t end) {
    double sum = 0;
    double least = std::numeric_limits<double>::infinity();
    double greatest = -std::numeric_limits<double>::infinity();
    size_t count = 0;
    const bool has_nulls = values.null_count() > 0;
    for (int64_t i = begin; i < end; ++i) {
        const double v = values.Value(i);
        if ((has_nulls && values.IsNull(i)) || std::isnan(v)) {
            continue;
        }
        sum += v;
        least = std::min(least, v);
        greatest = std::max(greatest, v);
        ++count;
    }
    if (count == 0) {
        return;
    }
    _count += count;
    if (kind == state_kind::sum) {
        _has_reals = true;
        add_sum(sum);
        return;
    }
    const number low{false, 0, least};
    const number high{false, 0, greatest};
    _min = !_min || low.is_less(*_min) ? low : _min;
    _max = !_max || _max->is_less(high) ? high : _max;
}

void aggregate_state::add_column(state_kind kind, std::span<const int64_t> times, const tables::typed_array& column,
                                 size_t begin) {
    const auto first = static_cast<int64_t>(begin);
    const auto end = first + static_cast<int64_t>(times.size());
    if (kind == state_kind::sum || kind == state_kind::extremes) {
        if (column.type == value_type::int32 || column.type == value_type::int64) {
            return add_integers(kind, static_cast<const arrow::Int64Array&>(*column.values), first, end);
        }
        if (column.type == value_type::real) {
            return add_reals(kind, static_cast<const arrow::DoubleArray&>(*column.values), first, end);
        }
    }
    for (size_t i = 0; i < times.size(); ++i) {
        if (column.has(begin + i)) {
            add(kind, times[i], column.at(begin + i));
        }
    }
}

void aggregate_state::add_range(state_kind kind, const tables::typed_range& range) {
    if (kind == state_kind::count) {
        _count += range.values.values_count;
        return;
    }
    const bool is_number = range.type == value_type::int32 || range.type == value_type::int64 || range.type == value_type::real;
    if (is_number && range.values.has_bounds) {
        add(kind, 0, range.low());
        add(kind, 0, range.high());
    }
}

void aggregate_state::add_step(double increase) {
    ++_count;
    add_sum(increase);
}

void aggregate_state::merge(state_kind kind, const aggregate_state& other) {
    if (kind == state_kind::moments && other._count > 0) {
        // Chan's formula for two sets.
        const auto a = static_cast<double>(_count);
        const auto b = static_cast<double>(other._count);
        const double delta = other._sum - _sum;
        _sum += delta * b / (a + b);
        _compensation += other._compensation + delta * delta * a * b / (a + b);
    } else if (kind != state_kind::moments) {
        add_sum(other._sum);
        _compensation += other._compensation;
    }
    _count += other._count;
    _integers += other._integers;
    _has_reals |= other._has_reals;
    if (other._min) {
        _min = !_min || other._min->is_less(*_min) ? other._min : _min;
        _max = !_max || _max->is_less(*other._max) ? other._max : _max;
    }
    if (other._end) {
        take_end(other._end->time_ns, other._end->value.value(), kind == state_kind::last);
    }
    if (other._quantiles) {
        if (!_quantiles) {
            _quantiles = std::make_unique<quantiles>();
        }
        _quantiles->merge(*other._quantiles);
    }
}

size_t aggregate_state::heap_bytes() const {
    return (_quantiles ? _quantiles->bytes() : 0) + (_end ? _end->value.heap_bytes() : 0);
}

std::optional<literal> aggregate_state::result(aggregate_kind kind, double seconds) const {
    if (kind == aggregate_kind::count) {
        return literal(value::of_int64(static_cast<int64_t>(_count)));
    }
    if (kind == aggregate_kind::first || kind == aggregate_kind::last) {
        return _end ? std::optional(_end->value) : std::nullopt;
    }
    if (_count == 0) {
        return std::nullopt;
    }
    const double total = _sum + _compensation + static_cast<double>(_integers);
    const bool is_whole = !_has_reals && _integers >= INT64_MIN && _integers <= INT64_MAX;
    switch (kind) {
    case aggregate_kind::sum: return is_whole ? literal(value::of_int64(static_cast<int64_t>(_integers))) : real(total);
    case aggregate_kind::avg: return real(total / static_cast<double>(_count));
    case aggregate_kind::min: return literal(_min->value());
    case aggregate_kind::max: return literal(_max->value());
    case aggregate_kind::stddev:
        return _count < 2 ? std::nullopt : real(std::sqrt(_compensation / static_cast<double>(_count - 1)));
    case aggregate_kind::rate: return real((_sum + _compensation) / seconds);
    default: return _quantiles ? real(*_quantiles->at(rank_of(kind))) : std::nullopt;
    }
}

} // namespace query
