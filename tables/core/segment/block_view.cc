#include "tables/core/segment/block_view.hh"

#include <algorithm>
#include <cassert>

#include "tables/core/codec/real_column.hh"
#include "tables/core/segment/block_builder.hh"
#include "tables/core/segment/segment_layout.hh"

namespace tables {
namespace {

std::unexpected<base::error> bad_block(const char* what) {
    return base::fail(base::errc::corrupt, std::string("a block does not decode: ") + what);
}

// Which of the rows have a value, and where those are among the values.
struct selection {
    codec::bitmap presence;
    size_t first_value = 0;
    size_t values_count = 0;     // in the range
    size_t all_values_count = 0; // in the block

    bool open(const block_view::column_chunk& column, size_t rows_count, row_range range, std::span<uint8_t> validity) {
        if (!codec::decode_bitmap(column.presence, rows_count, presence)) {
            return false;
        }
        presence.copy(range.begin, range.end, validity);
        first_value = presence.count(0, range.begin);
        values_count = presence.count(range.begin, range.end);
        all_values_count = first_value + values_count + presence.count(range.end, rows_count);
        return true;
    }
};

// From values without gaps at the front of `out` to a place for each row. Backwards, so that nothing is overwritten too early.
template <class T>
void spread(const selection& chosen, row_range range, std::span<T> out) {
    size_t from = chosen.values_count;
    for (size_t i = range.size(); i-- > 0 && from <= i;) {
        out[i] = chosen.presence[range.begin + i] ? out[--from] : T{};
    }
}

template <class Column, class T>
base::expected<size_t> decode_numbers(const block_view::column_chunk& chunk, size_t rows_count, row_range range, std::span<T> out,
                                      std::span<uint8_t> validity) {
    assert(range.begin <= range.end && range.end <= rows_count && out.size() == range.size());
    selection chosen;
    if (!chosen.open(chunk, rows_count, range, validity)) {
        return bad_block("presence");
    }
    const auto column = Column::open(chunk.values, chosen.all_values_count);
    if (!column || !column->decode(chosen.first_value, out.first(chosen.values_count))) {
        return bad_block("values");
    }
    spread(chosen, range, out);
    return range.size() - chosen.values_count;
}

bool are_guids(const codec::texts& values, size_t begin) {
    for (size_t i = begin; i < values.size(); ++i) {
        if (values[i].size() != sizeof(guid)) {
            return false;
        }
    }
    return true;
}

} // namespace

std::vector<block_view::column_sizes> block_view::take_columns(base::byte_reader& in, size_t count,
                                                               const segment_schema& schema) {
    std::vector<column_sizes> sizes;
    for (size_t i = 0; i < count && in.ok(); ++i) {
        const uint64_t id = in.varint();
        sizes.push_back({in.varint(), in.varint()});
        if (id >= schema.size() || (i > 0 && id <= _columns.back().id)) {
            in.set_failed();
            break;
        }
        _columns.push_back({.id = static_cast<column_id>(id), .type = schema[static_cast<column_id>(id)].type});
    }
    return sizes;
}

base::expected<block_view> block_view::parse(std::string_view bytes, const segment_schema& schema) {
    base::byte_reader in(bytes);
    block_view block;
    block._rows_count = in.varint();
    const uint64_t columns_count = in.varint();
    auto& sizes = block._common_sizes;
    static_assert(std::tuple_size_v<decltype(block._common_sizes)> == block_chunks_count);
    std::ranges::generate(sizes, [&] { return in.varint(); });
    if (!in.ok() || block._rows_count == 0 || block._rows_count > segment_layout::block_rows_limit ||
        columns_count > segment_layout::block_columns_max) {
        return bad_block("head");
    }
    const auto column_sizes = block.take_columns(in, columns_count, schema);
    key_chunks key_bytes;
    for (size_t i = 0; i < key_chunks_count; ++i) {
        key_bytes[i] = in.take(sizes[i]);
    }
    const auto timestamps = codec::int_column::open(in.take(sizes[key_chunks_count]), block._rows_count);
    const auto kinds = codec::int_column::open(in.take(sizes[key_chunks_count + 1]), block._rows_count);
    for (size_t i = 0; i < block._columns.size(); ++i) {
        block._columns[i].presence = in.take(column_sizes[i].presence);
        block._columns[i].values = in.take(column_sizes[i].values);
    }
    if (!in.done() || !timestamps || !kinds) {
        return bad_block("chunks");
    }
    auto keys = key_columns::open(key_bytes, block._rows_count);
    if (!keys) {
        return bad_block("keys");
    }
    block._keys = std::move(*keys);
    block._timestamps = *timestamps;
    block._kinds = *kinds;
    return block;
}

const block_view::column_chunk* block_view::find(column_id id) const {
    const auto at = std::ranges::lower_bound(_columns, id, {}, &column_chunk::id);
    return at == _columns.end() || at->id != id ? nullptr : &*at;
}

base::expected<block_view::place> block_view::search(std::string_view partition_key, std::string_view row_key,
                                                     codec::zstd_decompressor& zstd) const {
    partition_runs runs;
    if (!_keys.decode_runs(zstd, runs)) {
        return bad_block("partition keys");
    }
    size_t run = 0;
    for (size_t past = runs.size(); run < past;) {
        const size_t middle = run + (past - run) / 2;
        if (runs.keys[middle] < partition_key) {
            run = middle + 1;
        } else {
            past = middle;
        }
    }
    if (run == runs.size() || runs.keys[run] != partition_key) {
        return place{.row = run == runs.size() ? _rows_count : runs.begin(run)};
    }
    place found{.partition_end = runs.ends[run]};
    if (!_keys.lower_bound(runs.begin(run), runs.ends[run], row_key, zstd, found.row)) {
        return bad_block("row keys");
    }
    return found;
}

base::expected<size_t> block_view::lower_bound(std::string_view partition_key, std::string_view row_key,
                                               codec::zstd_decompressor& zstd) const {
    return search(partition_key, row_key, zstd).transform([](place p) { return p.row; });
}

base::expected<std::optional<size_t>> block_view::find(std::string_view partition_key, std::string_view row_key,
                                                       codec::zstd_decompressor& zstd) const {
    const auto found = search(partition_key, row_key, zstd);
    if (!found) {
        return std::unexpected(found.error());
    }
    if (found->row >= found->partition_end) {
        return std::nullopt;
    }
    codec::texts key;
    if (!_keys.decode_row_keys(found->row, found->row + 1, zstd, key)) {
        return bad_block("row keys");
    }
    return key[0] == row_key ? std::optional(found->row) : std::nullopt;
}

base::expected<void> block_view::decode_timestamps(size_t begin, std::span<int64_t> out) const {
    if (!_timestamps.decode(begin, out)) {
        return bad_block("timestamps");
    }
    return {};
}

base::expected<void> block_view::decode_kinds(size_t begin, std::span<row_kind> out) const {
    std::vector<int64_t> kinds(out.size());
    if (!_kinds.decode(begin, kinds)) {
        return bad_block("kinds");
    }
    for (size_t i = 0; i < out.size(); ++i) {
        if (kinds[i] < static_cast<int64_t>(row_kind::put) || kinds[i] > static_cast<int64_t>(row_kind::remove)) {
            return bad_block("kinds");
        }
        out[i] = static_cast<row_kind>(kinds[i]);
    }
    return {};
}

base::expected<size_t> block_view::decode_ints(const column_chunk& chunk, row_range range, std::span<int64_t> out,
                                               std::span<uint8_t> validity) const {
    assert(is_int(chunk.type));
    return decode_numbers<codec::int_column>(chunk, _rows_count, range, out, validity);
}

base::expected<size_t> block_view::decode_reals(const column_chunk& chunk, row_range range, std::span<double> out,
                                                std::span<uint8_t> validity) const {
    assert(chunk.type == value_type::real);
    return decode_numbers<codec::real_column>(chunk, _rows_count, range, out, validity);
}

base::expected<size_t> block_view::decode_booleans(const column_chunk& chunk, row_range range, std::span<uint8_t> out,
                                                   std::span<uint8_t> validity) const {
    assert(chunk.type == value_type::boolean && out.size() == codec::bitmap::bytes_for(range.size()));
    selection chosen;
    codec::bitmap values;
    if (!chosen.open(chunk, _rows_count, range, validity) ||
        !codec::decode_bitmap(chunk.values, chosen.all_values_count, values)) {
        return bad_block("booleans");
    }
    std::ranges::fill(out, 0);
    size_t from = chosen.first_value;
    for (size_t i = 0; i < range.size(); ++i) {
        if (chosen.presence[range.begin + i] && values[from++]) {
            out[i / 8] |= static_cast<uint8_t>(1u << (i % 8));
        }
    }
    return range.size() - chosen.values_count;
}

base::expected<size_t> block_view::decode_texts(const column_chunk& chunk, row_range range, codec::zstd_decompressor& zstd,
                                                codec::texts& out, std::span<uint8_t> validity) const {
    selection chosen;
    if (!chosen.open(chunk, _rows_count, range, validity)) {
        return bad_block("presence");
    }
    const auto column = codec::text_column::open(chunk.values, chosen.all_values_count);
    const size_t nulls = range.size() - chosen.values_count;
    const size_t first = chosen.first_value;
    codec::texts dense;
    auto& into = nulls == 0 ? out : dense;
    const size_t before = into.size();
    if (!column || !column->decode(first, first + chosen.values_count, zstd, into) ||
        (chunk.type == value_type::guid && !are_guids(into, before))) {
        return bad_block("texts");
    }
    if (nulls == 0) {
        return nulls;
    }
    const std::string null(chunk.type == value_type::guid ? sizeof(guid) : 0, '\0');
    size_t from = 0;
    for (size_t i = range.begin; i < range.end; ++i) {
        out.push_back(chosen.presence[i] ? dense[from++] : std::string_view(null));
    }
    return nulls;
}

} // namespace tables
