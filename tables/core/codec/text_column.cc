#include "tables/core/codec/text_column.hh"

namespace tables::codec {
namespace {

enum class text_layout : uint8_t { pages = 0, dictionary = 1 };

// With fewer repetitions than two of each a dictionary has nothing to win.
size_t entries_max(size_t count) {
    return count / 2;
}

} // namespace

void encode_text_column(const texts& values, zstd_compressor& zstd, std::string& out) {
    if (values.empty()) {
        return;
    }
    std::string pages(1, static_cast<char>(text_layout::pages));
    encode_text_pages(values, zstd, pages);
    const auto index = index_texts(values, entries_max(values.size()));
    if (!index) {
        out += pages;
        return;
    }
    // The dictionary decodes faster: the pages must be smaller by what compression has to save.
    std::string dictionary(1, static_cast<char>(text_layout::dictionary));
    encode_text_dictionary(*index, zstd, dictionary);
    const bool are_pages_better = pages.size() + dictionary.size() / zstd_compressor::saving_part < dictionary.size();
    out += are_pages_better ? pages : dictionary;
}

std::optional<text_column> text_column::open(std::string_view bytes, size_t count) {
    text_column column;
    if (count == 0) {
        return bytes.empty() ? std::optional(column) : std::nullopt;
    }
    if (bytes.empty()) {
        return std::nullopt;
    }
    switch (static_cast<text_layout>(bytes.front())) {
    case text_layout::pages:
        if (auto pages = text_pages::open(bytes.substr(1), count)) {
            column._how = std::move(*pages);
            return column;
        }
        break;
    case text_layout::dictionary:
        if (auto dictionary = text_dictionary::open(bytes.substr(1), count)) {
            column._how = std::move(*dictionary);
            return column;
        }
        break;
    }
    return std::nullopt;
}

bool text_column::decode(size_t begin, size_t end, zstd_decompressor& zstd, texts& out) const {
    return std::visit([&](const auto& how) { return how.decode(begin, end, zstd, out); }, _how);
}

} // namespace tables::codec
