#include "tables/core/segment/segment_footer.hh"

#include <algorithm>
#include <cassert>

#include "tables/core/segment/column_chunks.hh"

namespace tables {
namespace {

std::unexpected<base::error> bad_footer(const char* what) {
    return base::fail(base::errc::corrupt, std::string("not a segment: ") + what);
}

} // namespace

page_info page_index::operator[](size_t i) const {
    return {.extent = {static_cast<uint64_t>(_offsets[i]), static_cast<uint64_t>(_sizes[i])},
            .partitions_count = static_cast<uint64_t>(_partitions_counts[i]),
            .first_partition_key = _first_keys[i]};
}

void page_index::add(const page_info& page) {
    _offsets.push_back(static_cast<int64_t>(page.extent.offset));
    _sizes.push_back(static_cast<int64_t>(page.extent.size));
    _partitions_counts.push_back(static_cast<int64_t>(page.partitions_count));
    _first_keys.push_back(page.first_partition_key);
}

void page_index::encode(codec::zstd_compressor& zstd, std::string& out) const {
    base::put_varint(out, size());
    put_chunk(_offsets, out);
    put_chunk(_sizes, out);
    put_chunk(_partitions_counts, out);
    put_sorted_chunk(_first_keys, zstd, out);
}

page_index page_index::take(base::byte_reader& in, uint64_t end, codec::zstd_decompressor& zstd) {
    page_index index;
    const uint64_t count = in.varint();
    take_chunk(in, count, index._offsets);
    take_chunk(in, count, index._sizes);
    take_chunk(in, count, index._partitions_counts);
    take_sorted_chunk(in, count, zstd, index._first_keys);
    for (size_t i = 0; in.ok() && i < index.size(); ++i) {
        const auto offset = static_cast<uint64_t>(index._offsets[i]);
        const auto size = static_cast<uint64_t>(index._sizes[i]);
        if (offset > end || size > std::min<uint64_t>(end - offset, segment_layout::block_bytes_max) ||
            size <= segment_layout::checksum_bytes) {
            in.set_failed();
        }
    }
    return in.ok() ? std::move(index) : page_index();
}

void segment_footer::encode(codec::zstd_compressor& zstd, std::string& out) const {
    facts.encode(out);
    schema.encode(out);
    blocks.encode(zstd, out);
    pages.encode(zstd, out);
    base::put_varint(out, filters_offset);
}

base::expected<segment_footer> segment_footer::parse(std::string_view bytes, uint64_t end, codec::zstd_decompressor& zstd) {
    base::byte_reader in(bytes);
    segment_footer footer;
    footer.facts = segment_facts::take(in);
    footer.schema = segment_schema::take(in);
    footer.blocks = block_index::take(in, footer.schema, end, zstd);
    footer.pages = page_index::take(in, end, zstd);
    footer.filters_offset = in.varint();
    if (!in.done()) {
        return bad_footer("its footer does not parse");
    }
    uint64_t filters_end = footer.filters_offset;
    uint64_t rows_count = 0;
    for (size_t i = 0; i < footer.blocks.size(); ++i) {
        const auto block = footer.blocks[i];
        rows_count += block.rows_count;
        if (filters_end > end || block.filter_size > end - filters_end || block.filter_size < segment_layout::checksum_bytes) {
            return bad_footer("a filter lies outside");
        }
        filters_end += block.filter_size;
    }
    if (rows_count != footer.facts.rows_count) {
        return bad_footer("its blocks have not as many rows as it says");
    }
    return footer;
}

void segment_trailer::encode(std::string& out) const {
    const size_t begin = out.size();
    base::put_fixed(out, footer.offset);
    base::put_fixed(out, footer.size);
    base::put_fixed(out, footer_checksum);
    base::put_fixed(out, seed);
    base::put_fixed(out, segment_layout::version);
    base::put_fixed(out, uint32_t{0});
    base::put_fixed(out, segment_layout::magic);
    base::put_fixed(out, base::checksum64(std::string_view(out).substr(begin)));
    assert(out.size() - begin == segment_layout::trailer_bytes);
}

base::expected<segment_trailer> segment_trailer::parse(std::string_view bytes, uint64_t file_size) {
    using namespace segment_layout;
    if (bytes.size() != trailer_bytes || file_size < trailer_bytes) {
        return bad_footer("too short");
    }
    base::byte_reader in(bytes);
    segment_trailer trailer;
    trailer.footer.offset = in.fixed<uint64_t>();
    trailer.footer.size = in.fixed<uint64_t>();
    trailer.footer_checksum = in.fixed<uint64_t>();
    trailer.seed = in.fixed<uint64_t>();
    const auto file_version = in.fixed<uint32_t>();
    const auto zero = in.fixed<uint32_t>();
    if (in.fixed<uint64_t>() != magic) {
        return bad_footer("it does not end like one");
    }
    if (in.fixed<uint64_t>() != base::checksum64(bytes.substr(0, checksum_at))) {
        return bad_footer("its trailer fails its checksum");
    }
    if (file_version > version) {
        return base::fail(base::errc::newer_format, "the segment was written by a later version of this program");
    }
    const uint64_t end = file_size - trailer_bytes;
    if (file_version < version_min || zero != 0 || trailer.footer.offset > end ||
        trailer.footer.size != end - trailer.footer.offset || trailer.footer.size > footer_bytes_max) {
        return bad_footer("its trailer does not fit the file");
    }
    return trailer;
}

} // namespace tables
