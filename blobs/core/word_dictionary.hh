// Words of a block that come again, each with a number in the order of first use. The table remembers where a word was seen; it
// gets its number only when a column that uses numbers meets it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "blobs/core/text_shape.hh"

namespace blobs {

class word_dictionary {
public:
    static constexpr uint32_t no_number = UINT32_MAX;

    struct entry {
        text_ref word;
        uint32_t hash = 0;
        uint32_t number = no_number;
    };

    void clear();
    // The entry of the word at `where` in `text`, new or not; `is_new` says which. Good until the next call.
    uint32_t find_or_add(std::string_view text, text_ref where, bool& is_new);
    entry& operator[](uint32_t i) { return _entries[i]; }
    uint32_t next_number() { return _numbers_count++; }

private:
    void grow();

    std::vector<entry> _entries;
    std::vector<uint32_t> _table; // entry + 1, or 0
    uint32_t _numbers_count = 0;
};

} // namespace blobs
