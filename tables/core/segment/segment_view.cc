#include "tables/core/segment/segment_view.hh"

#include <cassert>

#include <fmt/format.h>

namespace tables {
namespace {

// The first of [0, count) for which `is_before` is false.
size_t partition_point(size_t count, const auto& is_before) {
    size_t begin = 0;
    while (begin < count) {
        const size_t middle = begin + (count - begin) / 2;
        if (is_before(middle)) {
            begin = middle + 1;
        } else {
            count = middle;
        }
    }
    return begin;
}

int compare(std::string_view partition_key, std::string_view row_key, std::string_view other_partition,
            std::string_view other_row) {
    const int order = partition_key.compare(other_partition);
    return order != 0 ? order : row_key.compare(other_row);
}

} // namespace

base::expected<segment_view> segment_view::open(const segment_trailer& trailer, std::string_view footer_bytes) {
    if (footer_bytes.size() != trailer.footer.size ||
        segment_layout::checksum(footer_bytes, trailer.seed, trailer.footer.offset) != trailer.footer_checksum) {
        return base::fail(base::errc::corrupt, "the footer of a segment fails its checksum");
    }
    codec::zstd_decompressor zstd;
    auto footer = segment_footer::parse(footer_bytes, trailer.footer.offset, zstd);
    if (!footer) {
        return std::unexpected(footer.error());
    }
    segment_view view;
    view._seed = trailer.seed;
    view._footer = std::move(*footer);
    uint64_t offset = view._footer.filters_offset;
    for (size_t i = 0; i < view.blocks_count(); ++i) {
        view._filter_offsets.push_back(offset);
        offset += view.block(i).filter_size;
    }
    return view;
}

index_range segment_view::locate(const key_range& range) const {
    const auto& blocks = _footer.blocks;
    const size_t begin = partition_point(blocks_count(), [&](size_t i) {
        const auto [pk, rk] = blocks.last_key(i);
        return compare(pk, rk, range.from.partition_key, range.from.row_key) < 0;
    });
    const size_t end = partition_point(blocks_count(), [&](size_t i) {
        const auto [pk, rk] = blocks.first_key(i);
        return !range.is_past(pk, rk);
    });
    return {begin, std::max(begin, end)};
}

std::optional<size_t> segment_view::locate(std::string_view partition_key, std::string_view row_key) const {
    const size_t i = partition_point(blocks_count(), [&](size_t middle) {
        const auto [pk, rk] = _footer.blocks.last_key(middle);
        return compare(pk, rk, partition_key, row_key) < 0;
    });
    if (i == blocks_count() || compare(block(i).first_partition_key, block(i).first_row_key, partition_key, row_key) > 0) {
        return std::nullopt;
    }
    return i;
}

bool segment_view::may_have_times(size_t i, base::tick oldest, base::tick newest) const {
    const auto b = block(i);
    return b.text_keys_count != 0 || !b.newest || (*b.newest >= oldest && *b.oldest <= newest);
}

base::expected<std::string_view> segment_view::unseal(std::string_view bytes, file_extent extent, std::string_view what) const {
    if (bytes.size() == extent.size && bytes.size() >= segment_layout::checksum_bytes) {
        const auto body = bytes.substr(0, bytes.size() - segment_layout::checksum_bytes);
        base::byte_reader in(bytes.substr(body.size()));
        if (in.fixed<uint64_t>() == segment_layout::checksum(body, _seed, extent.offset)) {
            return body;
        }
    }
    return base::fail(base::errc::corrupt, fmt::format("{} at bytes {}..{} of a segment of table {} fails its checksum", what,
                                                       extent.offset, extent.end(), facts().table.value));
}

base::expected<block_view> segment_view::open_block(size_t i, std::string_view bytes) const {
    const auto info = block(i);
    const auto body = unseal(bytes, info.extent, "the block");
    if (!body) {
        return std::unexpected(body.error());
    }
    auto view = block_view::parse(*body, schema());
    if (view && view->rows_count() != info.rows_count) {
        return base::fail(base::errc::corrupt, "a block has not as many rows as the footer says");
    }
    return view;
}

file_extent segment_view::filter_extent(size_t i) const {
    return {_filter_offsets[i], block(i).filter_size};
}

// Groups begin at multiples of a size, so that two blocks are in the same one or in different ones whoever asks.
segment_view::filter_group segment_view::filters_around(size_t block) const {
    const auto window = [&](uint64_t offset) { return (offset - _footer.filters_offset) / segment_layout::filter_group_bytes; };
    const auto number = window(_filter_offsets[block]);
    const auto range = std::ranges::equal_range(_filter_offsets, number, {}, window);
    const auto begin = static_cast<size_t>(range.begin() - _filter_offsets.begin());
    const auto end = static_cast<size_t>(range.end() - _filter_offsets.begin());
    return {begin, end, {_filter_offsets[begin], filter_extent(end - 1).end() - _filter_offsets[begin]}};
}

base::expected<key_filter> segment_view::open_filter(size_t i, std::string_view bytes) const {
    return unseal(bytes, filter_extent(i), "the filter").transform([](std::string_view bits) { return key_filter(bits); });
}

std::optional<size_t> segment_view::locate_page(std::string_view partition_key) const {
    const size_t behind = partition_point(pages_count(), [&](size_t i) { return page(i).first_partition_key <= partition_key; });
    return behind == 0 ? std::nullopt : std::optional(behind - 1);
}

base::expected<partition_page> segment_view::open_page(size_t i, std::string_view bytes, codec::zstd_decompressor& zstd) const {
    const auto info = page(i);
    const auto body = unseal(bytes, info.extent, "the partition page");
    if (!body) {
        return std::unexpected(body.error());
    }
    auto view = partition_page::parse(*body, schema(), zstd);
    if (view && view->size() != info.partitions_count) {
        return base::fail(base::errc::corrupt, "a partition page has not as many partitions as the footer says");
    }
    return view;
}

} // namespace tables
