#include "tables/core/segment/decoded_page.hh"

namespace tables {

base::expected<std::unique_ptr<decoded_page>> decoded_page::decode(const segment_view& segment, size_t page,
                                                                   std::string_view bytes, codec::zstd_decompressor& zstd) {
    auto view = segment.open_page(page, bytes, zstd);
    if (!view) {
        return std::unexpected(view.error());
    }
    std::optional<block_rows> newest_rows;
    if (const auto block = view->take_newest_rows()) {
        newest_rows.emplace(*block, segment.schema(), zstd);
        if (auto loaded = newest_rows->load({0, block->rows_count()}); !loaded) {
            return std::unexpected(loaded.error());
        }
        newest_rows->keep_rows_only();
    }
    return std::unique_ptr<decoded_page>(new decoded_page(std::move(*view), std::move(newest_rows)));
}

} // namespace tables
