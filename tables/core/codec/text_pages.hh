// Texts as lengths and bytes. The bytes are cut into pages, each alone compressed where that pays, so that a few texts can be
// read without decompressing all.
//
//   pages     = lengths size varint, int column of the lengths, *(texts count varint, stored varint), *page
//   stored    = 2 * bytes of the page + 1 when it is a zstd frame; what the texts add up to is what it decompresses to
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tables/core/codec/int_column.hh"
#include "tables/core/codec/texts.hh"
#include "tables/core/codec/zstd.hh"

namespace tables::codec {

// A page is closed when it has this many bytes or texts. What one text needs in order to be read is about this much.
constexpr size_t page_bytes_target = 64 * 1'024;
constexpr size_t page_texts_max = 4'096;

// Needs: at most column_values_max texts and column_text_bytes_max bytes.
void encode_text_pages(const texts&, zstd_compressor&, std::string& out);

// Borrows the bytes.
class text_pages {
public:
    // Nothing when the bytes cannot be pages of so many texts; the texts are looked at only when they are decoded.
    static std::optional<text_pages> open(std::string_view bytes, size_t count);

    size_t size() const { return _lengths.size(); }
    // Appends texts [begin, end). False when the bytes are damaged or out.bytes would exceed column_text_bytes_max.
    [[nodiscard]] bool decode(size_t begin, size_t end, zstd_decompressor&, texts& out) const;

private:
    struct page {
        size_t begin; // its first text
        size_t end;
        bool is_compressed;
        std::string_view stored;
    };
    bool decode_page(const page&, size_t begin, size_t end, zstd_decompressor&, texts& out) const;

    int_column _lengths;
    std::vector<page> _pages;
};

} // namespace tables::codec
