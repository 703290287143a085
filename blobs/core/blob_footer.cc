#include "blobs/core/blob_footer.hh"

#include <cassert>

#include "base/coding.hh"

namespace blobs {
namespace {

std::unexpected<base::error> bad_blob(const char* what) {
    return base::fail(base::errc::corrupt, std::string("not a blob: ") + what);
}

void put_block(const block_entry& block, int64_t before_ns, std::string& out) {
    const auto& f = block.facts;
    base::put_varint(out, block.extent.size);
    base::put_varint(out, f.records_count);
    base::put_varint(out, f.raw_bytes);
    base::put_varint(out,
                     base::zigzag(static_cast<int64_t>(static_cast<uint64_t>(f.first_ns) - static_cast<uint64_t>(before_ns))));
    base::put_varint(out, static_cast<uint64_t>(f.last_ns) - static_cast<uint64_t>(f.first_ns));
    base::put_varint(out, f.levels);
    base::put_varint(out, block.filter.marks_count);
    out.push_back(static_cast<char>(block.filter.rice_bits));
    base::put_varint(out, block.filter.kept_parts);
}

// The next one behind `before`, or behind nothing. False when it cannot be one.
bool take_block(base::byte_reader& in, const block_entry* before, uint64_t end, block_entry& out) {
    out.extent = {before != nullptr ? before->extent.end() : 0, in.varint()};
    const uint64_t records_count = in.varint();
    const uint64_t raw_bytes = in.varint();
    const auto before_ns = static_cast<uint64_t>(before != nullptr ? before->facts.last_ns : 0);
    const uint64_t first = before_ns + static_cast<uint64_t>(base::unzigzag(in.varint()));
    const uint64_t last = first + in.varint();
    const uint64_t levels = in.varint();
    const uint64_t marks_count = in.varint();
    const auto rice_bits = in.fixed<uint8_t>();
    const uint64_t kept_parts = in.varint();
    out.raw_offset = before != nullptr ? before->raw_offset + before->facts.raw_bytes : 0;
    const bool fits = in.ok() && out.extent.size > blob_layout::checksum_bytes && out.extent.size <= block_bytes_max &&
                      out.extent.offset <= end && out.extent.size <= end - out.extent.offset;
    if (!fits || records_count == 0 || records_count > block_records_max || raw_bytes > block_text_bytes_max ||
        levels > all_levels || marks_count > UINT32_MAX || rice_bits > rice_bits_max || kept_parts > kept_parts_all) {
        return false;
    }
    out.facts = {static_cast<uint32_t>(records_count), static_cast<uint32_t>(raw_bytes), static_cast<int64_t>(first),
                 static_cast<int64_t>(last), static_cast<level_set>(levels)};
    out.filter = {static_cast<uint32_t>(marks_count), rice_bits, static_cast<uint16_t>(kept_parts)};
    return out.facts.first_ns <= out.facts.last_ns && (before == nullptr || before->facts.last_ns <= out.facts.first_ns);
}

base::expected<blob_trailer> parse_one(std::string_view bytes, uint64_t file_size) {
    using namespace blob_layout;
    base::byte_reader in(bytes);
    blob_trailer trailer;
    trailer.footer.offset = in.fixed<uint64_t>();
    trailer.footer.size = in.fixed<uint64_t>();
    trailer.footer_checksum = in.fixed<uint64_t>();
    trailer.seed = in.fixed<uint64_t>();
    const auto file_version = in.fixed<uint32_t>();
    const auto zero = in.fixed<uint32_t>();
    if (in.fixed<uint64_t>() != magic) {
        return bad_blob("it does not end like one");
    }
    if (in.fixed<uint64_t>() != base::checksum64(bytes.substr(0, checksum_at))) {
        return bad_blob("its trailer fails its checksum");
    }
    if (file_version > version) {
        return base::fail(base::errc::newer_format, "the blob was written by a later version of this program");
    }
    const uint64_t end = file_size - trailers_bytes;
    if (file_version < version_first || zero != 0 || trailer.footer.size > footer_bytes_max || trailer.footer.offset > end ||
        2 * trailer.footer.size != end - trailer.footer.offset) {
        return bad_blob("its trailer does not fit the file");
    }
    trailer.filters = static_cast<filter_scope>(file_version);
    return trailer;
}

} // namespace

uint64_t blob_footer::records_count() const {
    uint64_t sum = 0;
    for (const auto& block : blocks) {
        sum += block.facts.records_count;
    }
    return sum;
}

level_set blob_footer::levels() const {
    level_set all = 0;
    for (const auto& block : blocks) {
        all |= block.facts.levels;
    }
    return all;
}

void blob_footer::encode(std::string& out) const {
    base::put_bytes(out, identity.source);
    base::put_varint(out, static_cast<uint64_t>(identity.period_start.value));
    base::put_varint(out, identity.counter);
    base::put_varint(out, blocks.size());
    int64_t before_ns = 0;
    for (const auto& block : blocks) {
        put_block(block, before_ns, out);
        before_ns = block.facts.last_ns;
    }
    out.push_back(static_cast<char>(slices_bits));
    for (const auto& slice : slices) {
        base::put_varint(out, slice.size);
    }
}

base::expected<blob_footer> blob_footer::parse(std::string_view bytes, uint64_t end) {
    base::byte_reader in(bytes);
    blob_footer footer;
    const auto source = in.bytes();
    footer.identity = {.source = std::string(source.substr(0, source_bytes_max)),
                       .period_start = {static_cast<int64_t>(in.varint())},
                       .counter = in.varint()};
    const auto start = footer.identity.period_start;
    const uint64_t blocks_count = in.varint();
    if (!in.ok() || source.size() > source_bytes_max || start < base::tick{0} || start > base::tick_max || blocks_count == 0 ||
        blocks_count > blob_blocks_max) {
        return bad_blob("its footer does not parse");
    }
    for (uint64_t i = 0; i < blocks_count; ++i) {
        block_entry block;
        if (!take_block(in, footer.blocks.empty() ? nullptr : &footer.blocks.back(), end, block)) {
            return bad_blob("its block index does not fit the file");
        }
        footer.blocks.push_back(block);
    }
    footer.slices_bits = in.fixed<uint8_t>();
    if (!in.ok() || footer.slices_bits > slices_bits_max) {
        return bad_blob("its filters do not fit the file");
    }
    uint64_t offset = footer.blocks.back().extent.end();
    for (size_t s = 0; s < size_t{1} << footer.slices_bits; ++s) {
        const uint64_t size = in.varint();
        if (!in.ok() || size <= blob_layout::checksum_bytes || size > end - offset) {
            return bad_blob("its filters do not fit the file");
        }
        footer.slices.push_back({offset, size});
        offset += size;
    }
    if (!in.done() || offset != end) {
        return bad_blob("its parts do not fill the file");
    }
    return footer;
}

void blob_trailer::encode(std::string& out) const {
    const size_t begin = out.size();
    base::put_fixed(out, footer.offset);
    base::put_fixed(out, footer.size);
    base::put_fixed(out, footer_checksum);
    base::put_fixed(out, seed);
    base::put_fixed(out, static_cast<uint32_t>(filters));
    base::put_fixed(out, uint32_t{0});
    base::put_fixed(out, blob_layout::magic);
    base::put_fixed(out, base::checksum64(std::string_view(out).substr(begin)));
    assert(out.size() - begin == blob_layout::trailer_bytes);
}

base::expected<blob_trailer> blob_trailer::parse(std::string_view bytes, uint64_t file_size) {
    if (bytes.size() != blob_layout::trailers_bytes || file_size < blob_layout::trailers_bytes) {
        return bad_blob("too short");
    }
    auto last = parse_one(bytes.substr(blob_layout::trailer_bytes), file_size);
    if (last) {
        return last;
    }
    const auto first = parse_one(bytes.substr(0, blob_layout::trailer_bytes), file_size);
    return first ? first : last;
}

} // namespace blobs
