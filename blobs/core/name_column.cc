#include "blobs/core/name_column.hh"

#include <algorithm>

namespace blobs {

void name_column_writer::add(std::string_view name) {
    auto& recent = _recent[name_place(name) % _recent.size()];
    if (recent == 0 || _entries[recent - 1] != name) {
        recent = static_cast<uint32_t>(find_or_add(name)) + 1;
    }
    _codes.push_back(recent - 1);
}

uint64_t name_column_writer::find_or_add(std::string_view name) {
    if (const auto found = _places.find(name); found != _places.end()) {
        return found->second;
    }
    _places.emplace(name, _entries.size());
    _entries.emplace_back(name);
    return _entries.size() - 1;
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
    _recent.fill(0);
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
