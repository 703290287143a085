#include "tables/core/segment/block_rows.hh"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <ranges>

#include "tables/core/segment/segment_layout.hh"

namespace tables {
namespace {

std::unexpected<base::error> bad_rows(const char* what) {
    return base::fail(base::errc::corrupt, std::string("rows of a block do not decode: ") + what);
}

bool bit_at(const std::vector<uint8_t>& bits, size_t i) {
    return (bits[i / 8] >> (i % 8) & 1) != 0;
}

} // namespace

value block_rows::decoded_column::at(size_t i) const {
    switch (chunk->type) {
    case value_type::int32: return value::of_int32(static_cast<int32_t>(ints[i]));
    case value_type::int64: return value::of_int64(ints[i]);
    case value_type::datetime: return value::of_datetime(base::tick{ints[i]});
    case value_type::real: return value::of_real(reals[i]);
    case value_type::boolean: return value::of_boolean(bit_at(booleans, i));
    case value_type::string: return value::of_string(texts[i]);
    case value_type::binary: return value::of_binary(texts[i]);
    case value_type::guid: break;
    }
    guid g;
    std::memcpy(g.bytes.data(), texts[i].data(), g.bytes.size());
    return value::of_guid(g);
}

void block_rows::decoded_column::pack(size_t count, char* to, size_t stride) const {
    const auto store = [&](const auto& value_at) {
        for (size_t i = 0; i < count; ++i, to += stride) {
            const auto value = value_at(i);
            std::memcpy(to, &value, sizeof value);
        }
    };
    switch (chunk->type) {
    case value_type::int32: return store([&](size_t i) { return static_cast<int32_t>(ints[i]); });
    case value_type::int64:
    case value_type::datetime: return store([&](size_t i) { return ints[i]; });
    case value_type::real: return store([&](size_t i) { return reals[i]; });
    case value_type::boolean: return store([&](size_t i) { return static_cast<uint8_t>(bit_at(booleans, i)); });
    case value_type::guid: return store([&](size_t i) { return at(i).as_guid().bytes; });
    case value_type::string:
    case value_type::binary: break;
    }
    assert(!"strings and binaries are not in the fixed part");
}

block_rows::block_rows(const block_view& block, const segment_schema& schema, codec::zstd_decompressor& zstd)
    : _block(&block), _schema(&schema), _zstd(&zstd) {
    for (const auto& chunk : block.columns()) {
        _columns.push_back({.chunk = &chunk});
    }
    std::ranges::sort(_columns, {}, [&](const decoded_column& c) -> const std::string& { return schema[c.chunk->id].name; });
}

base::expected<void> block_rows::load(row_range range) {
    assert(range.begin <= range.end && range.end <= _block->rows_count());
    _range = range;
    if (!_has_runs && !_block->keys().decode_runs(*_zstd, _runs)) {
        return bad_rows("partition keys");
    }
    _has_runs = true;
    _row_keys.clear();
    if (!_block->keys().decode_row_keys(range.begin, range.end, *_zstd, _row_keys)) {
        return bad_rows("row keys");
    }
    _timestamps.resize(range.size());
    _kinds.resize(range.size());
    if (auto done = _block->decode_timestamps(range.begin, _timestamps); !done) {
        return done;
    }
    if (auto done = _block->decode_kinds(range.begin, _kinds); !done) {
        return done;
    }
    size_t packed_bytes = 0;
    for (auto& column : _columns) {
        const auto bytes = load_column(column);
        if (!bytes) {
            return std::unexpected(bytes.error());
        }
        packed_bytes += *bytes;
        if (packed_bytes > segment_layout::block_raw_bytes_limit + segment_layout::row_raw_bytes_max) {
            return bad_rows("more than a block can have");
        }
    }
    _packed.reserve(packed_bytes); // that it need not grow, nor be shrunk
    return pack_all();
}

base::expected<size_t> block_rows::load_column(decoded_column& column) {
    const auto& chunk = *column.chunk;
    column.validity.resize(codec::bitmap::bytes_for(_range.size()));
    base::expected<size_t> nulls = 0;
    if (is_int(chunk.type)) {
        column.ints.resize(_range.size());
        nulls = _block->decode_ints(chunk, _range, column.ints, column.validity);
    } else if (chunk.type == value_type::real) {
        column.reals.resize(_range.size());
        nulls = _block->decode_reals(chunk, _range, column.reals, column.validity);
    } else if (chunk.type == value_type::boolean) {
        column.booleans.resize(column.validity.size());
        nulls = _block->decode_booleans(chunk, _range, column.booleans, column.validity);
    } else {
        column.texts.clear();
        nulls = _block->decode_texts(chunk, _range, *_zstd, column.texts, column.validity);
    }
    return nulls.transform([&](size_t count) {
        column.nulls_count = count;
        return (_range.size() - count) * fixed_width(chunk.type) + (is_in_heap(chunk.type) ? column.texts.bytes.size() : 0);
    });
}

const block_rows::pattern* block_rows::pattern_of(size_t i) {
    std::string bits((_columns.size() + 7) / 8, '\0');
    for (size_t c = 0; c < _columns.size(); ++c) {
        bits[c / 8] = static_cast<char>(bits[c / 8] | _columns[c].has(i) << (c % 8));
    }
    if (_last != nullptr && bits == _bits) {
        return _last;
    }
    auto& known = _patterns[bits];
    if (!known) {
        std::vector<uint32_t> columns;
        std::vector<column> names;
        for (uint32_t c = 0; c < _columns.size(); ++c) {
            if (_columns[c].has(i)) {
                columns.push_back(c);
                names.push_back((*_schema)[_columns[c].chunk->id]);
            }
        }
        if (std::ranges::adjacent_find(names, {}, &column::name) != names.end()) {
            return nullptr;
        }
        known = std::make_unique<pattern>(std::move(columns), shape(std::move(names)));
    }
    _bits = std::move(bits);
    return _last = known.get();
}

bool block_rows::are_uniform() const {
    const auto is_plain = [](const decoded_column& c) { return c.nulls_count == 0 && !is_in_heap(c.chunk->type); };
    return _range.size() > 0 && !_columns.empty() && std::ranges::all_of(_columns, is_plain) &&
           !std::ranges::contains(_kinds, row_kind::remove);
}

base::expected<void> block_rows::pack_uniform() {
    const auto* found = pattern_of(0);
    if (found == nullptr) {
        return bad_rows("a row cannot have these properties");
    }
    const size_t stride = found->shape.fixed_bytes();
    _packed.resize(_range.size() * stride);
    for (size_t p = 0; p < found->columns.size(); ++p) {
        _columns[found->columns[p]].pack(_range.size(), _packed.data() + found->shape.offset(p), stride);
    }
    for (size_t i = 0; i < _range.size(); ++i) {
        _packed_ends.push_back((i + 1) * stride);
    }
    _row_patterns.assign(_range.size(), found);
    return {};
}

base::expected<void> block_rows::pack_all() {
    _packed.clear();
    _packed_ends.clear();
    _row_patterns.clear();
    if (are_uniform()) {
        return pack_uniform();
    }
    std::vector<property> properties;
    for (size_t i = 0; i < _range.size(); ++i) {
        const auto* found = pattern_of(i);
        if (found == nullptr || (_kinds[i] == row_kind::remove && !found->columns.empty())) {
            return bad_rows("a row cannot have these properties");
        }
        properties.clear();
        for (size_t p = 0; p < found->columns.size(); ++p) {
            properties.push_back({found->shape[p].name, _columns[found->columns[p]].at(i)});
        }
        pack_row(properties, _packed);
        _packed_ends.push_back(_packed.size());
        _row_patterns.push_back(found);
    }
    return {};
}

size_t block_rows::partition_end(size_t i) const {
    return std::min<size_t>(_runs.ends[_runs.find(_range.begin + i)] - _range.begin, _range.size());
}

size_t block_rows::lower_bound(std::string_view partition_key, std::string_view row_key) const {
    const auto runs = std::views::iota(size_t{0}, _runs.size());
    const auto run = std::ranges::lower_bound(runs, partition_key, {}, [this](size_t r) { return _runs.keys[r]; });
    const size_t r = static_cast<size_t>(run - runs.begin());
    const auto place_of = [this](size_t row) { return std::clamp(row, _range.begin, _range.end) - _range.begin; };
    if (r == _runs.size()) {
        return size();
    }
    const size_t begin = place_of(_runs.begin(r));
    if (_runs.keys[r] != partition_key) {
        return begin;
    }
    const auto rows = std::views::iota(begin, place_of(_runs.ends[r]));
    return begin + static_cast<size_t>(std::ranges::lower_bound(rows, row_key, {}, [this](size_t i) { return _row_keys[i]; }) -
                                       rows.begin());
}

void block_rows::keep_rows_only() {
    std::vector<decoded_column>().swap(_columns);
    for (auto& [bits, known] : _patterns) {
        std::vector<uint32_t>().swap(known->columns);
    }
    _block = nullptr;
    _packed.shrink_to_fit();
    _row_keys.bytes.shrink_to_fit();
}

size_t block_rows::heap_bytes() const {
    size_t patterns = 0;
    for (const auto& [bits, known] : _patterns) {
        patterns += sizeof(pattern) + bits.capacity() + known->shape.heap_bytes();
    }
    const auto bytes_of = [](const auto& v) { return v.capacity() * sizeof v[0]; };
    return patterns + bytes_of(_runs.ends) + bytes_of(_runs.keys.offsets) + _runs.keys.bytes.capacity() +
           bytes_of(_row_keys.offsets) + _row_keys.bytes.capacity() + bytes_of(_timestamps) + bytes_of(_kinds) +
           bytes_of(_row_patterns) + _packed.capacity() + bytes_of(_packed_ends);
}

segment_row block_rows::operator[](size_t i) const {
    const size_t begin = i == 0 ? 0 : _packed_ends[i - 1];
    segment_row row{.partition_key = _runs.keys[_runs.find(_range.begin + i)],
                    .row_key = _row_keys[i],
                    .kind = _kinds[i],
                    .timestamp = base::tick{_timestamps[i]}};
    if (row.kind != row_kind::remove) {
        row.row = row_view(_row_patterns[i]->shape, std::string_view(_packed).substr(begin, _packed_ends[i] - begin));
    }
    return row;
}

} // namespace tables
