#include "blobs/core/word_dictionary.hh"

#include <algorithm>

#include "base/checksum.hh"
#include "blobs/core/text_template.hh"

namespace blobs {
namespace {

constexpr size_t word_table_size_min = 4'096;

} // namespace

void word_dictionary::clear() {
    _entries.clear();
    _table.assign(std::max(_table.size(), word_table_size_min), 0);
    _numbers_count = 0;
}

void word_dictionary::grow() {
    std::vector<uint32_t> table(std::max(2 * _table.size(), word_table_size_min), 0);
    const size_t bits = table.size() - 1;
    for (uint32_t i = 0; i < _entries.size(); ++i) {
        size_t at = _entries[i].hash & bits;
        while (table[at] != 0) {
            at = (at + 1) & bits;
        }
        table[at] = i + 1;
    }
    _table = std::move(table);
}

uint32_t word_dictionary::find_or_add(std::string_view text, text_ref where, bool& is_new) {
    if (2 * _entries.size() >= _table.size()) {
        grow();
    }
    const auto word = view(text, where);
    const auto hash = static_cast<uint32_t>(base::stable_hash(word));
    const size_t bits = _table.size() - 1;
    size_t at = hash & bits;
    for (; _table[at] != 0; at = (at + 1) & bits) {
        const entry& seen = _entries[_table[at] - 1];
        if (seen.hash == hash && view(text, seen.word) == word) {
            is_new = false;
            return _table[at] - 1;
        }
    }
    is_new = true;
    _entries.push_back({where, hash, no_number});
    _table[at] = static_cast<uint32_t>(_entries.size());
    return _table[at] - 1;
}

} // namespace blobs
