// Sorted texts (keys): how many bytes each shares with the one before it, and what follows those.
//
//   front     = shared size varint, int column of the shared lengths, pages (text_pages.hh) of the rest of each
//
// Every restart_every-th text shares nothing, so that reading starts there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tables/core/codec/int_column.hh"
#include "tables/core/codec/text_pages.hh"

namespace tables::codec {

constexpr size_t restart_every = 64;
// What a text of this kind may have: a decoder must not make much out of little.
constexpr size_t front_text_bytes_max = 4'096;

// Any order is right, sorted is small. Needs: at most column_values_max texts, each within front_text_bytes_max, and
// column_text_bytes_max in all.
void encode_text_front(const texts&, zstd_compressor&, std::string& out);

// Borrows the bytes.
class text_front {
public:
    // Nothing when the bytes cannot be so many texts.
    static std::optional<text_front> open(std::string_view bytes, size_t count);

    size_t size() const { return _rests.size(); }
    // Appends texts [begin, end). False when the bytes are damaged or out.bytes would exceed column_text_bytes_max.
    [[nodiscard]] bool decode(size_t begin, size_t end, zstd_decompressor&, texts& out) const;

private:
    int_column _shared;
    text_pages _rests;
};

} // namespace tables::codec
