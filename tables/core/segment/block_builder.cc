#include "tables/core/segment/block_builder.hh"

#include <algorithm>
#include <cassert>
#include <limits>

#include "tables/core/segment/segment_layout.hh"

namespace tables {
namespace {

constexpr uint32_t no_place = std::numeric_limits<uint32_t>::max();
constexpr size_t row_overhead_bytes = sizeof(base::tick) + sizeof(row_kind);
// What is packed of them stays near at hand.
constexpr size_t run_rows_max = 256;

} // namespace

size_t block_builder::raw_bytes(const segment_row& row) {
    return row.partition_key.size() + row.row_key.size() + row.row.bytes().size() + row_overhead_bytes;
}

uint32_t block_builder::place_of(column_id id, value_type type) {
    if (id >= _places.size()) {
        _places.resize(id + 1, no_place);
    }
    if (_places[id] == no_place) {
        _places[id] = static_cast<uint32_t>(_columns.size());
        _columns.push_back({id, column_buffer(type)});
    }
    return _places[id];
}

std::optional<base::tick> block_builder::add(const segment_row& row) {
    assert(_step == 0 && rows_count() < segment_layout::block_rows_limit);
    assert(row.kind != row_kind::remove || row.row.size() == 0);
    if (!_keys.is_last_partition(row.partition_key)) {
        _filter.add_partition(row.partition_key);
    }
    const auto row_time = _keys.add(row.partition_key, row.row_key);
    if (!row_time) {
        _filter.add_row(row.partition_key, row.row_key);
    }
    if (row.row.size() == 0) {
        end_run();
    } else if (row.row.of_shape().is_fixed()) {
        add_to_run(row.row);
    } else {
        end_run();
        add_values(row.row);
    }
    _timestamps.push_back(row.timestamp.value);
    _kinds.push_back(static_cast<int64_t>(row.kind));
    _raw_bytes += raw_bytes(row);
    return row_time;
}

void block_builder::add_values(const row_view& row) {
    const auto ids = _binder.bind(row.of_shape());
    for (size_t i = 0; i < ids.size(); ++i) {
        const auto v = row[i].value;
        _columns[place_of(ids[i], v.type())].buffer.add(rows_count(), v);
    }
}

void block_builder::add_to_run(const row_view& row) {
    if (_run.rows_count == run_rows_max || (_run.rows_count > 0 && !(row.of_shape() == _run.columns))) {
        end_run();
    }
    if (_run.rows_count == 0) {
        _run.first_row = rows_count();
        if (_run.places.empty() || !(row.of_shape() == _run.columns)) {
            _run.columns = row.of_shape();
            const auto ids = _binder.bind(_run.columns);
            _run.places.clear();
            for (size_t i = 0; i < ids.size(); ++i) {
                _run.places.push_back(place_of(ids[i], _run.columns[i].type));
            }
        }
    }
    _run.packed += row.bytes();
    ++_run.rows_count;
}

void block_builder::end_run() {
    for (size_t i = 0; _run.rows_count > 0 && i < _run.places.size(); ++i) {
        _columns[_run.places[i]].buffer.add_packed(_run.first_row, _run.rows_count, _run.packed.data() + _run.columns.offset(i),
                                                   _run.columns.fixed_bytes());
    }
    _run.rows_count = 0;
    _run.packed.clear();
}

void block_builder::encode_common(size_t chunk, codec::zstd_compressor& zstd) {
    auto& out = _common[chunk];
    if (chunk < key_chunks_count) {
        _keys.encode(chunk, zstd, out);
    } else {
        codec::encode_int_column(chunk == key_chunks_count ? _timestamps : _kinds, out);
    }
}

bool block_builder::encode_step(codec::zstd_compressor& zstd) {
    assert(!empty());
    if (_step == 0) {
        end_run();
        std::ranges::sort(_columns, {}, &bound_column::id);
        _coded.resize(_columns.size());
    }
    if (_step < block_chunks_count) {
        encode_common(_step, zstd);
    } else if (_step < block_chunks_count + _columns.size()) {
        const size_t i = _step - block_chunks_count;
        _columns[i].buffer.encode_presence(rows_count(), _coded[i].presence);
        _columns[i].buffer.encode_values(zstd, _coded[i].values);
    }
    return ++_step < block_chunks_count + _columns.size();
}

std::string block_builder::bytes() const {
    assert(_step >= block_chunks_count + _columns.size());
    std::string out;
    base::put_varint(out, rows_count());
    base::put_varint(out, _columns.size());
    size_t bodies_size = 0;
    for (const auto& chunk : _common) {
        base::put_varint(out, chunk.size());
        bodies_size += chunk.size();
    }
    for (size_t i = 0; i < _columns.size(); ++i) {
        base::put_varint(out, _columns[i].id);
        base::put_varint(out, _coded[i].presence.size());
        base::put_varint(out, _coded[i].values.size());
        bodies_size += _coded[i].presence.size() + _coded[i].values.size();
    }
    out.reserve(out.size() + bodies_size + segment_layout::checksum_bytes);
    for (const auto& chunk : _common) {
        out += chunk;
    }
    for (const auto& [presence, values] : _coded) {
        out += presence;
        out += values;
    }
    return out;
}

void block_builder::clear() {
    auto binder = std::move(_binder);
    *this = block_builder(std::move(binder));
}

} // namespace tables
