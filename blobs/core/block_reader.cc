#include "blobs/core/block_reader.hh"

#include "base/checksum.hh"

namespace blobs {
namespace {

std::unexpected<base::error> bad_block(const char* what) {
    return base::fail(base::errc::corrupt, std::string("not a block of records: ") + what);
}

} // namespace

base::expected<void> block_reader::open(std::string_view bytes, block_content content) {
    constexpr stream_set of_texts = bit_of(stream::templates) | bit_of(stream::texts) | bit_of(stream::words);
    _records_count = 0;
    base::byte_reader in(bytes);
    const uint64_t records_count = in.varint();
    const uint64_t raw_bytes = in.varint();
    _raw_checksum = in.fixed<uint64_t>();
    if (!in.ok() || records_count == 0 || records_count > block_records_max || raw_bytes > block_text_bytes_max) {
        return bad_block("its sizes are out of bounds");
    }
    const bool is_whole = content == block_content::records;
    if (!_streams.open(in.rest(), _zstd, is_whole ? all_streams : all_streams & ~of_texts)) {
        return bad_block("its streams do not decompress");
    }
    _heads.take(records_count, _streams);
    if (is_whole && _streams.ok()) {
        _parts.take(records_count, _streams);
    }
    if (is_whole && _streams.ok()) {
        _texts.take(records_count, _streams);
    }
    if (!(is_whole ? _streams.done() : _streams.ok())) {
        return bad_block("its columns do not parse");
    }
    _records_count = records_count;
    _raw_bytes = raw_bytes;
    return {};
}

base::expected<void> block_reader::read_text(size_t i, std::string& out) const {
    out.clear();
    if (!_texts.append(i, out)) {
        return bad_block("a text is too long");
    }
    return {};
}

base::expected<record> block_reader::read(size_t i, record_scratch& scratch) const {
    if (auto done = read_text(i, scratch.text); !done) {
        return std::unexpected(done.error());
    }
    return read_rest(i, scratch);
}

base::expected<record> block_reader::read_rest(size_t i, record_scratch& scratch) const {
    record r{.order = order(i),
             .level = level(i),
             .host = hosts()[i],
             .app = apps()[i],
             .text = scratch.text,
             .message = {},
             .fields = {}};
    if (!_parts.read(i, scratch.text, r.message, scratch.fields)) {
        return bad_block("a part lies outside its text");
    }
    r.fields = scratch.fields;
    return r;
}

base::expected<void> block_reader::read_raw(std::string& out) const {
    const size_t begin = out.size();
    out.reserve(begin + _raw_bytes);
    for (size_t i = 0; i < _records_count; ++i) {
        if (!_texts.append(i, out) || out.size() - begin >= _raw_bytes) {
            return bad_block("its texts are longer than it says");
        }
        out.push_back('\n');
    }
    if (out.size() - begin != _raw_bytes || base::checksum64(std::string_view(out).substr(begin)) != _raw_checksum) {
        return bad_block("its texts fail their checksum");
    }
    return {};
}

} // namespace blobs
