// What is kept of the values of one field in one bucket of one group, so that any number of them can be added, from any shard, in
// any order, with the same outcome (sums of doubles to rounding).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <arrow/array/array_primitive.h>

#include "query/core/filter_ast.hh"
#include "query/core/native/aggregation.hh"
#include "query/core/native/quantiles.hh"
#include "tables/core/segment/block_columns.hh"
#include "tables/core/value.hh"

namespace query {

// Several aggregates can be answered from one state.
enum class state_kind : uint8_t { rows, count, sum, extremes, moments, first, last, quantiles, steps };

constexpr state_kind state_of(aggregate_kind kind) {
    switch (kind) {
    case aggregate_kind::count: return state_kind::count;
    case aggregate_kind::sum:
    case aggregate_kind::avg: return state_kind::sum;
    case aggregate_kind::min:
    case aggregate_kind::max: return state_kind::extremes;
    case aggregate_kind::first: return state_kind::first;
    case aggregate_kind::last: return state_kind::last;
    case aggregate_kind::stddev: return state_kind::moments;
    case aggregate_kind::rate: return state_kind::steps;
    default: return state_kind::quantiles;
    }
}

// Integers stay whole as long as they can.
struct number {
    bool is_integer = true;
    int64_t integer = 0;
    double real = 0; // also of an integer

    static std::optional<number> of(const tables::value&); // nothing: not a number, or NaN
    tables::value value() const { return is_integer ? tables::value::of_int64(integer) : tables::value::of_real(real); }
    bool is_less(const number& other) const; // by value: neither is rounded
};

class aggregate_state {
public:
    // Values that are no numbers are counted and can be first or last; all else passes over them.
    void add(state_kind, int64_t time_ns, const tables::value&);
    void add_rows(uint64_t count) { _count += count; }
    // The values of rows [begin, end) of a column; times[i] is that of row begin + i.
    void add_column(state_kind, std::span<const int64_t> times, const tables::typed_array&, size_t begin);
    // Values of which only this is known. Needs: count or extremes.
    void add_range(state_kind, const tables::typed_range&);
    // An increase of a counter that was seen to end here.
    void add_step(double increase);
    void merge(state_kind, const aggregate_state&);

    // Of the kind of state it has been fed as. `seconds` is the length of the bucket, for rates. Nothing: no value.
    std::optional<literal> result(aggregate_kind, double seconds) const;

    quantiles* values() { return _quantiles.get(); }
    // What it has allocated beyond itself.
    size_t heap_bytes() const;

private:
    struct end {
        int64_t time_ns;
        literal value;
    };
    void take_end(int64_t time_ns, const tables::value&, bool is_last);
    void add_sum(double);
    void add_integers(state_kind, const arrow::Int64Array&, int64_t begin, int64_t end);
    void add_reals(state_kind, const arrow::DoubleArray&, int64_t begin, int64_t end);

    uint64_t _count = 0;
    __int128 _integers = 0;   // sum of those that are whole
    double _sum = 0;          // of the others, or the mean for moments
    double _compensation = 0; // what _sum has lost to rounding, or the sum of squares about the mean for moments
    bool _has_reals = false;
    std::optional<number> _min, _max;
    std::optional<end> _end; // the first or the last
    std::unique_ptr<quantiles> _quantiles;
};

} // namespace query
