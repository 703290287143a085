#include "blobs/core/word_dictionary.hh"

#include <algorithm>
#include <cstring>

#include "blobs/core/text_template.hh"

namespace blobs {
namespace {

constexpr size_t word_table_size_min = 4'096;

// Inline, since words are short: eight bytes at a time, the last ones once more.
uint32_t dictionary_hash(std::string_view word) {
    uint64_t hash = word.size();
    const auto mix = [&](uint64_t bits) {
        const auto product = static_cast<unsigned __int128>(hash ^ bits) * 0x9e3779b97f4a7c15;
        hash = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
    };
    const auto load = [&](size_t at) {
        uint64_t bits = 0;
        std::memcpy(&bits, word.data() + at, sizeof bits);
        return bits;
    };
    if (word.size() < sizeof hash) {
        uint64_t bits = 0;
        for (const char c : word) {
            bits = bits << 8 | static_cast<uint8_t>(c);
        }
        mix(bits);
        return static_cast<uint32_t>(hash);
    }
    for (size_t at = 0; at + sizeof hash < word.size(); at += sizeof hash) {
        mix(load(at));
    }
    mix(load(word.size() - sizeof hash));
    return static_cast<uint32_t>(hash);
}

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
    const auto hash = dictionary_hash(word);
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
