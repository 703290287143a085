#include "tables/core/segment/decoded_block.hh"

namespace tables {

base::expected<std::unique_ptr<decoded_block>> decoded_block::decode(const segment_view& segment, size_t block,
                                                                     std::string_view bytes, codec::zstd_decompressor& zstd) {
    const auto view = segment.open_block(block, bytes);
    if (!view) {
        return std::unexpected(view.error());
    }
    block_rows rows(*view, segment.schema(), zstd);
    if (auto loaded = rows.load({0, view->rows_count()}); !loaded) {
        return std::unexpected(loaded.error());
    }
    rows.keep_rows_only();
    return std::unique_ptr<decoded_block>(new decoded_block(std::move(rows)));
}

} // namespace tables
