#include "tables/core/segment/block_columns.hh"

#include <algorithm>
#include <cstring>

#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>
#include <arrow/buffer.h>

#include "tables/core/key.hh"

namespace tables {
namespace {

std::unexpected<base::error> bad_columns(const char* what) {
    return base::fail(base::errc::corrupt, std::string("columns of a block do not decode: ") + what);
}

// Arrow's view of memory that is ours.
template <class Container>
class owning_buffer final : public arrow::Buffer {
public:
    explicit owning_buffer(Container values) : arrow::Buffer(nullptr, 0), _values(std::move(values)) {
        data_ = reinterpret_cast<const uint8_t*>(_values.data());
        size_ = capacity_ = static_cast<int64_t>(_values.size() * sizeof(_values[0]));
    }

private:
    Container _values;
};

template <class Container>
std::shared_ptr<arrow::Buffer> to_buffer(Container values) {
    return std::make_shared<owning_buffer<Container>>(std::move(values));
}

base::expected<std::shared_ptr<arrow::Array>> decode_array(const block_view& block, const block_view::column_chunk& chunk,
                                                           codec::zstd_decompressor& zstd) {
    const row_range all{0, block.rows_count()};
    const auto length = static_cast<int64_t>(all.size());
    std::vector<uint8_t> validity(codec::bitmap::bytes_for(all.size()));
    const auto made = [&]<class Array>(std::type_identity<Array>, base::expected<size_t> nulls,
                                       auto... buffers) -> base::expected<std::shared_ptr<arrow::Array>> {
        if (!nulls) {
            return std::unexpected(nulls.error());
        }
        return std::make_shared<Array>(length, buffers()..., to_buffer(std::move(validity)), static_cast<int64_t>(*nulls));
    };
    if (is_int(chunk.type)) {
        std::vector<int64_t> values(all.size());
        auto nulls = block.decode_ints(chunk, all, values, validity);
        return made(std::type_identity<arrow::Int64Array>(), nulls, [&] { return to_buffer(std::move(values)); });
    }
    if (chunk.type == value_type::real) {
        std::vector<double> values(all.size());
        auto nulls = block.decode_reals(chunk, all, values, validity);
        return made(std::type_identity<arrow::DoubleArray>(), nulls, [&] { return to_buffer(std::move(values)); });
    }
    if (chunk.type == value_type::boolean) {
        std::vector<uint8_t> bits(validity.size());
        auto nulls = block.decode_booleans(chunk, all, bits, validity);
        return made(std::type_identity<arrow::BooleanArray>(), nulls, [&] { return to_buffer(std::move(bits)); });
    }
    codec::texts texts;
    auto nulls = block.decode_texts(chunk, all, zstd, texts, validity);
    return made(
        std::type_identity<arrow::BinaryArray>(), nulls, [&] { return to_buffer(std::move(texts.offsets)); },
        [&] { return to_buffer(std::move(texts.bytes)); });
}

} // namespace

value typed_array::at(size_t row) const {
    const auto i = static_cast<int64_t>(row);
    const auto integer = [&] { return static_cast<const arrow::Int64Array&>(*values).Value(i); };
    const auto text = [&] { return static_cast<const arrow::BinaryArray&>(*values).GetView(i); };
    switch (type) {
    case value_type::int32: return value::of_int32(static_cast<int32_t>(integer()));
    case value_type::int64: return value::of_int64(integer());
    case value_type::datetime: return value::of_datetime(base::tick{integer()});
    case value_type::real: return value::of_real(static_cast<const arrow::DoubleArray&>(*values).Value(i));
    case value_type::boolean: return value::of_boolean(static_cast<const arrow::BooleanArray&>(*values).Value(i));
    case value_type::string: return value::of_string(text());
    case value_type::binary: return value::of_binary(text());
    case value_type::guid: break;
    }
    guid g;
    std::memcpy(g.bytes.data(), text().data(), g.bytes.size());
    return value::of_guid(g);
}

base::expected<std::unique_ptr<block_columns>> block_columns::decode(const segment_view& segment, size_t block,
                                                                     std::string_view bytes, std::span<const column_id> wanted,
                                                                     codec::zstd_decompressor& zstd) {
    const auto view = segment.open_block(block, bytes);
    if (!view) {
        return std::unexpected(view.error());
    }
    auto columns = std::make_unique<block_columns>();
    if (auto done = columns->decode_keys(*view, zstd); !done) {
        return std::unexpected(done.error());
    }
    for (const auto id : wanted) {
        auto& array = columns->_columns[id];
        if (const auto* chunk = view->find(id)) {
            auto decoded = decode_array(*view, *chunk, zstd);
            if (!decoded) {
                return std::unexpected(decoded.error());
            }
            array = std::move(*decoded);
        }
    }
    return columns;
}

base::expected<void> block_columns::decode_keys(const block_view& view, codec::zstd_decompressor& zstd) {
    if (!view.keys().decode_runs(zstd, _partitions)) {
        return bad_columns("partition keys");
    }
    _ticks.resize(view.rows_count());
    if (!view.keys().decode_ticks(0, _ticks) || !view.keys().decode_suffixes(zstd, _suffixes)) {
        return bad_columns("row keys");
    }
    std::vector<row_kind> kinds(view.rows_count());
    if (auto done = view.decode_kinds(0, kinds); !done) {
        return done;
    }
    _has_removes = std::ranges::contains(kinds, row_kind::remove);
    return {};
}

const arrow::Array* block_columns::find(column_id id) const {
    const auto found = _columns.find(id);
    return found == _columns.end() ? nullptr : found->second.get();
}

std::vector<column_id> block_columns::column_ids() const {
    std::vector<column_id> ids;
    for (const auto& [id, array] : _columns) {
        ids.push_back(id);
    }
    return ids;
}

size_t block_columns::bytes() const {
    size_t all = sizeof *this + _ticks.capacity() * sizeof(int64_t) + _suffixes.bytes.capacity() +
                 _suffixes.offsets.capacity() * sizeof(int32_t) + _partitions.keys.bytes.capacity() +
                 _partitions.keys.offsets.capacity() * sizeof(int32_t) + _partitions.ends.capacity() * sizeof(uint32_t);
    for (const auto& [id, array] : _columns) {
        all += sizeof(arrow::ArrayData);
        if (array) {
            for (const auto& buffer : array->data()->buffers) {
                all += buffer ? static_cast<size_t>(buffer->capacity()) : 0;
            }
        }
    }
    return all;
}

} // namespace tables
