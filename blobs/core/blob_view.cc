#include "blobs/core/blob_view.hh"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "base/coding.hh"

namespace blobs {

base::expected<blob_view> blob_view::open(const blob_trailer& trailer, std::string_view footers_bytes) {
    const size_t size = trailer.footer.size;
    if (footers_bytes.size() != 2 * size) {
        return base::fail(base::errc::corrupt, "not a blob: its footers are cut");
    }
    for (const auto copy : {footers_bytes.substr(0, size), footers_bytes.substr(size)}) {
        if (blob_layout::checksum(copy, trailer.seed, trailer.footer.offset) == trailer.footer_checksum) {
            auto footer = blob_footer::parse(copy, trailer.footer.offset);
            if (!footer) {
                return std::unexpected(footer.error());
            }
            blob_view made;
            made._seed = trailer.seed;
            made._filters = trailer.filters;
            made._footer = std::move(*footer);
            return made;
        }
    }
    return base::fail(base::errc::corrupt, "not a blob: both its footers fail their checksum");
}

base::expected<std::string_view> blob_view::unseal(std::string_view bytes, blob_extent extent, std::string_view what) const {
    if (bytes.size() != extent.size) {
        return base::fail(base::errc::corrupt,
                          fmt::format("{} at {}: {} bytes instead of {}", what, extent.offset, bytes.size(), extent.size));
    }
    const size_t size = bytes.size() - blob_layout::checksum_bytes;
    base::byte_reader in(bytes.substr(size));
    if (in.fixed<uint64_t>() != blob_layout::checksum(bytes.substr(0, size), _seed, extent.offset)) {
        return base::fail(base::errc::corrupt, fmt::format("{} at {}+{} fails its checksum", what, extent.offset, extent.size));
    }
    return bytes.substr(0, size);
}

base::expected<void> blob_view::open_block(size_t i, std::string_view bytes, block_reader& reader, block_content wanted) const {
    const auto& block = _footer.blocks[i];
    const auto content = unseal(bytes, block.extent, "block");
    if (!content) {
        return std::unexpected(content.error());
    }
    if (auto done = reader.open(*content, wanted); !done) {
        return done;
    }
    if (reader.size() != block.facts.records_count || reader.raw_bytes() != block.facts.raw_bytes) {
        return base::fail(base::errc::corrupt, fmt::format("block at {}: not the one of the index", block.extent.offset));
    }
    return {};
}

base::expected<void> blob_view::filter_blocks(mark m, std::string_view bytes, std::vector<bool>& candidates) const {
    assert(candidates.size() == _footer.blocks.size());
    const auto content = unseal(bytes, slice_extent(m), "filter");
    if (!content) {
        return std::unexpected(content.error());
    }
    base::byte_reader in(*content);
    auto left = candidates;
    for (size_t i = 0; i < left.size(); ++i) {
        const auto slice = in.bytes();
        left[i] = left[i] && may_have(_footer.blocks[i].filter, _footer.slices_bits, slice, m);
    }
    if (!in.done()) {
        return base::fail(base::errc::corrupt, "a filter does not parse");
    }
    candidates = std::move(left);
    return {};
}

base::expected<void> blob_view::check_slice(size_t i, std::string_view bytes) const {
    return unseal(bytes, _footer.slices[i], "filter").transform([](std::string_view) {});
}

std::optional<size_t> blob_view::block_at(uint64_t raw_offset) const {
    if (raw_offset >= _footer.raw_bytes()) {
        return std::nullopt;
    }
    const auto behind = std::ranges::upper_bound(_footer.blocks, raw_offset, {}, &block_entry::raw_offset);
    return static_cast<size_t>(behind - _footer.blocks.begin()) - 1;
}

} // namespace blobs
