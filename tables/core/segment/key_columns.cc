#include "tables/core/segment/key_columns.hh"

#include <algorithm>
#include <cassert>

namespace tables {
namespace {

using digits = std::array<char, base::inverted_digits>;

std::string_view put_digits(int64_t number, digits& out) {
    for (size_t i = out.size(); i-- > 0; number /= 10) {
        out[i] = static_cast<char>('0' + number % 10);
    }
    return {out.data(), out.size()};
}

bool is_inverted_tick(int64_t number) {
    return number >= 0 && number <= base::tick_max.value;
}

} // namespace

size_t partition_runs::find(size_t row) const {
    return static_cast<size_t>(std::ranges::upper_bound(ends, row) - ends.begin());
}

std::optional<key_columns> key_columns::open(const key_chunks& chunks, size_t rows_count) {
    key_columns keys;
    base::byte_reader in(chunks[0]);
    keys._runs_count = in.varint();
    const auto ends = in.bytes();
    if (!in.ok() || keys._runs_count > rows_count || !codec::decode_bitmap(chunks[1], rows_count, keys._flags)) {
        return std::nullopt;
    }
    const size_t times_count = keys._flags.count();
    const auto run_ends = codec::int_column::open(ends, keys._runs_count);
    auto partition_keys = codec::text_front::open(in.rest(), keys._runs_count);
    const auto times = codec::int_column::open(chunks[2], times_count);
    auto suffixes = codec::text_column::open(chunks[3], times_count);
    auto row_texts = codec::text_front::open(chunks[4], rows_count - times_count);
    if (!run_ends || !partition_keys || !times || !suffixes || !row_texts) {
        return std::nullopt;
    }
    keys._run_ends = *run_ends;
    keys._partition_keys = std::move(*partition_keys);
    keys._times = *times;
    keys._suffixes = std::move(*suffixes);
    keys._row_texts = std::move(*row_texts);
    return keys;
}

bool key_columns::decode_runs(codec::zstd_decompressor& zstd, partition_runs& out) const {
    std::vector<int64_t> ends(_runs_count);
    out.keys.clear();
    out.ends.clear();
    if (!_run_ends.decode(0, ends) || !_partition_keys.decode(0, _runs_count, zstd, out.keys)) {
        return false;
    }
    int64_t last = 0;
    for (const int64_t end : ends) {
        if (end <= last || static_cast<uint64_t>(end) > rows_count()) {
            return false;
        }
        out.ends.push_back(static_cast<uint32_t>(end));
        last = end;
    }
    return static_cast<size_t>(last) == rows_count();
}

bool key_columns::decode_inverted(size_t begin, size_t end, std::vector<int64_t>& out) const {
    const size_t first = _flags.count(0, begin);
    out.resize(_flags.count(begin, end));
    return _times.decode(first, out) && std::ranges::all_of(out, is_inverted_tick);
}

bool key_columns::decode_row_keys(size_t begin, size_t end, codec::zstd_decompressor& zstd, codec::texts& out) const {
    std::vector<int64_t> times;
    codec::texts suffixes;
    codec::texts row_texts;
    const size_t first_time = _flags.count(0, begin);
    if (!decode_inverted(begin, end, times) || !_suffixes.decode(first_time, first_time + times.size(), zstd, suffixes) ||
        !_row_texts.decode(begin - first_time, end - first_time - times.size(), zstd, row_texts)) {
        return false;
    }
    out.offsets.reserve(out.offsets.size() + (end - begin));
    digits text;
    size_t time = 0;
    for (size_t row = begin; row < end; ++row) {
        if (_flags[row]) {
            out.bytes += put_digits(times[time], text);
            out.push_back(suffixes[time++]);
        } else {
            out.push_back(row_texts[row - begin - time]);
        }
    }
    return true;
}

bool key_columns::decode_suffixes(codec::zstd_decompressor& zstd, codec::texts& out) const {
    const size_t times_count = _flags.count();
    codec::texts suffixes;
    if (!_suffixes.decode(0, times_count, zstd, suffixes)) {
        return false;
    }
    out.clear();
    bool is_one = times_count == rows_count() && times_count > 0;
    for (size_t i = 1; is_one && i < times_count; ++i) {
        is_one = suffixes[i] == suffixes[0];
    }
    if (is_one) {
        out.push_back(suffixes[0]);
        return true;
    }
    for (size_t row = 0, time = 0; row < rows_count(); ++row) {
        out.push_back(_flags[row] ? suffixes[time++] : std::string_view());
    }
    return true;
}

bool key_columns::decode_ticks(size_t begin, std::span<int64_t> out) const {
    std::vector<int64_t> times;
    if (!decode_inverted(begin, begin + out.size(), times)) {
        return false;
    }
    size_t time = 0;
    for (size_t i = 0; i < out.size(); ++i) {
        out[i] = _flags[begin + i] ? base::invert({times[time++]}) : no_tick;
    }
    return true;
}

bool key_columns::lower_bound(size_t begin, size_t end, std::string_view row_key, codec::zstd_decompressor& zstd,
                              size_t& out) const {
    std::vector<int64_t> times;
    if (!decode_inverted(begin, end, times)) {
        return false;
    }
    const size_t first_time = _flags.count(0, begin);
    const auto head = row_key.substr(0, base::inverted_digits);
    bool is_good = true;
    const auto is_less = [&](size_t row) {
        const size_t time = _flags.count(0, row);
        codec::texts rest;
        if (!_flags[row]) {
            is_good &= _row_texts.decode(row - time, row - time + 1, zstd, rest);
            return is_good && rest[0] < row_key;
        }
        digits text;
        const auto order = put_digits(times[time - first_time], text).compare(head);
        if (order != 0) { // also when row_key is shorter than the digits
            return order < 0;
        }
        is_good &= _suffixes.decode(time, time + 1, zstd, rest);
        return is_good && rest[0] < row_key.substr(base::inverted_digits);
    };
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (is_less(middle)) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    out = begin;
    return is_good;
}

} // namespace tables
