// A column of strings, binaries or guids. An empty one has no bytes.
//
//   column    = 0, pages (text_pages.hh)
//             / 1, dictionary (text_dictionary.hh)
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "tables/core/codec/text_dictionary.hh"
#include "tables/core/codec/text_pages.hh"

namespace tables::codec {

// Needs: at most column_values_max texts of column_text_bytes_max bytes.
void encode_text_column(const texts&, zstd_compressor&, std::string& out);

// Borrows the bytes.
class text_column {
public:
    // Nothing when the bytes cannot be a column of so many texts.
    static std::optional<text_column> open(std::string_view bytes, size_t count);

    // Appends texts [begin, end). False when the bytes are damaged or out.bytes would exceed column_text_bytes_max.
    [[nodiscard]] bool decode(size_t begin, size_t end, zstd_decompressor&, texts& out) const;

private:
    std::variant<text_pages, text_dictionary> _how;
};

} // namespace tables::codec
