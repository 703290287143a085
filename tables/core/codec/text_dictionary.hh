// Texts of which many are the same: each different one once, in the order of first appearance, and a code for every place.
//
//   texts     = entries count varint, codes size varint, int column of the codes, pages (text_pages.hh) of the entries
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tables/core/codec/int_column.hh"
#include "tables/core/codec/text_pages.hh"

namespace tables::codec {

// What the values of a column are, each once.
struct text_index {
    texts entries;
    std::vector<int64_t> codes; // one for each value
};

// Nothing when there are more than entries_max different ones; that is noticed on the way.
std::optional<text_index> index_texts(const texts&, size_t entries_max);

void encode_text_dictionary(const text_index&, zstd_compressor&, std::string& out);

// Borrows the bytes.
class text_dictionary {
public:
    // Nothing when the bytes cannot be `count` > 0 texts.
    static std::optional<text_dictionary> open(std::string_view bytes, size_t count);

    size_t size() const { return _codes.size(); }
    // Appends texts [begin, end). False when the bytes are damaged or out.bytes would exceed column_text_bytes_max.
    [[nodiscard]] bool decode(size_t begin, size_t end, zstd_decompressor&, texts& out) const;

private:
    int_column _codes;
    text_pages _entries;
};

} // namespace tables::codec
