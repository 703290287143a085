#include "blobs/core/block_streams.hh"

#include <algorithm>

namespace blobs {
namespace {

// A frame has a head and tables of its own: below this it never pays.
constexpr size_t compressed_from_bytes = 32;

} // namespace

void block_streams::clear() {
    for (auto& bytes : _bytes) {
        bytes.clear();
    }
}

void block_streams::encode(stream s, zstd_compressor& zstd, std::string& out) {
    const auto& bytes = (*this)[s];
    _frame.clear();
    const bool pays = s != stream::stored && bytes.size() >= compressed_from_bytes && zstd.compress(bytes, _frame);
    const std::string_view kept = pays ? _frame : bytes;
    base::put_varint(out, bytes.size());
    base::put_varint(out, 2 * kept.size() + (pays ? 1 : 0));
    out += kept;
}

bool stream_readers::open(std::string_view bytes, zstd_decompressor& zstd, stream_set wanted) {
    base::byte_reader in(bytes);
    for (size_t s = 0; s < streams_count; ++s) {
        const uint64_t raw_size = in.varint();
        const uint64_t stored = in.varint();
        const auto kept = in.take(stored / 2);
        const bool is_frame = stored % 2 != 0;
        if (!in.ok() || raw_size > block_stream_bytes_max || (!is_frame && kept.size() != raw_size)) {
            return false;
        }
        if ((wanted >> s & 1) == 0) {
            _readers[s] = base::byte_reader({});
            continue;
        }
        if (is_frame) {
            _decompressed[s].resize(raw_size);
            if (!zstd.decompress(kept, _decompressed[s])) {
                return false;
            }
        }
        _readers[s] = base::byte_reader(is_frame ? std::string_view(_decompressed[s]) : kept);
    }
    return in.done();
}

bool stream_readers::ok() const {
    return std::ranges::all_of(_readers, [](const auto& reader) { return reader.ok(); });
}

bool stream_readers::done() const {
    return std::ranges::all_of(_readers, [](const auto& reader) { return reader.done(); });
}

} // namespace blobs
