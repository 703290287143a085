#include "blobs/core/head_columns.hh"

namespace blobs {

void head_columns_writer::add(const record& r) {
    _times.push_back(static_cast<uint64_t>(r.order.time_ns));
    _lanes.push_back(r.order.lane);
    _sequences.push_back(r.order.sequence);
    _levels.push_back(r.level);
    _hosts.add(r.host);
    _apps.add(r.app);
}

void head_columns_writer::encode(number_writer& numbers, block_streams& out) const {
    for (const auto* column : {&_times, &_lanes, &_sequences, &_levels}) {
        numbers.put(*column, out);
    }
    _hosts.encode(numbers, out);
    _apps.encode(numbers, out);
}

void head_columns_writer::clear() {
    for (auto* column : {&_times, &_lanes, &_sequences, &_levels}) {
        column->clear();
    }
    _hosts.clear();
    _apps.clear();
}

void head_columns::take(size_t count, stream_readers& in) {
    for (auto* column : {&_times, &_lanes, &_sequences, &_levels}) {
        column->resize(count);
        take_numbers(in, *column);
    }
    for (size_t i = 0; i < count; ++i) {
        if (_lanes[i] > UINT32_MAX || _levels[i] > level_none || (i != 0 && order(i) < order(i - 1))) {
            in[stream::heads].set_failed();
            return;
        }
    }
    _hosts.take(count, in);
    _apps.take(count, in);
}

} // namespace blobs
