#include "blobs/core/name_column.hh"

#include <algorithm>

namespace blobs {

void name_column_writer::add(std::string_view name) {
    // Most often it is the name of the record before.
    if (!_codes.empty() && _entries[_codes.back()] == name) {
        _codes.push_back(_codes.back());
        return;
    }
    const auto found = _places.find(name);
    if (found != _places.end()) {
        _codes.push_back(found->second);
        return;
    }
    _codes.push_back(_entries.size());
    _places.emplace(name, _entries.size());
    _entries.emplace_back(name);
}

void name_column_writer::encode(number_writer& numbers, block_streams& out) const {
    base::put_varint(out[stream::heads], _entries.size());
    std::vector<uint64_t> sizes;
    for (const auto& entry : _entries) {
        sizes.push_back(entry.size());
        out[stream::side] += entry;
    }
    numbers.put(sizes, out);
    numbers.put(_codes, out);
}

void name_column_writer::clear() {
    _entries.clear();
    _places.clear();
    _codes.clear();
}

void name_column::take(size_t count, stream_readers& in) {
    const uint64_t entries_count = in[stream::heads].varint();
    _entries.clear();
    if (!in.ok() || entries_count > count) {
        in[stream::heads].set_failed();
        return;
    }
    _codes.resize(entries_count);
    take_numbers(in, _codes);
    for (const uint64_t size : _codes) {
        _entries.push_back(in[stream::side].take(size));
    }
    _codes.resize(count);
    take_numbers(in, _codes);
    if (std::ranges::any_of(_codes, [&](uint64_t code) { return code >= entries_count; })) {
        in[stream::heads].set_failed();
    }
}

} // namespace blobs
