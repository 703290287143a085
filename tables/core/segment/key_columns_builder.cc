#include <algorithm>
#include <cassert>

#include "tables/core/key.hh"
#include "tables/core/segment/key_columns.hh"

namespace tables {

bool key_columns_builder::is_last_partition(std::string_view partition_key) const {
    return !_partition_keys.empty() && _partition_keys.back() == partition_key;
}

std::optional<base::tick> key_columns_builder::add(std::string_view partition_key, std::string_view row_key) {
    if (!is_last_partition(partition_key)) {
        _partition_keys.push_back(partition_key);
        _run_ends.push_back(static_cast<int64_t>(rows_count()));
    }
    ++_run_ends.back();
    const auto [tick, suffix] = split_row_key(row_key);
    _flags.push_back(tick.has_value());
    if (tick) {
        _times.push_back(base::invert(*tick));
        _suffixes.push_back(suffix);
    } else {
        _row_texts.push_back(row_key);
    }
    return tick;
}

std::optional<base::tick> key_columns_builder::newest() const {
    // Inverting is its own inverse.
    return _times.empty() ? std::nullopt : std::optional(base::tick{base::invert({std::ranges::min(_times)})});
}

std::optional<base::tick> key_columns_builder::oldest() const {
    return _times.empty() ? std::nullopt : std::optional(base::tick{base::invert({std::ranges::max(_times)})});
}

void key_columns_builder::encode(size_t chunk, codec::zstd_compressor& zstd, std::string& out) const {
    switch (chunk) {
    case 0: {
        base::put_varint(out, _run_ends.size());
        std::string ends;
        codec::encode_int_column(_run_ends, ends);
        base::put_bytes(out, ends);
        return codec::encode_text_front(_partition_keys, zstd, out);
    }
    case 1: return codec::encode_bitmap(_flags, out);
    case 2: return codec::encode_int_column(_times, out);
    case 3: return codec::encode_text_column(_suffixes, zstd, out);
    case 4: return codec::encode_text_front(_row_texts, zstd, out);
    }
    assert(!"there are five chunks");
}

} // namespace tables
