#include "tables/core/segment/column_chunks.hh"

#include "tables/core/codec/int_column.hh"
#include "tables/core/codec/text_column.hh"
#include "tables/core/codec/text_front.hh"

namespace tables {
namespace {

template <class Column>
void take_texts(base::byte_reader& in, size_t count, codec::zstd_decompressor& zstd, codec::texts& out) {
    out.clear();
    const auto bytes = in.bytes();
    const auto column = in.ok() ? Column::open(bytes, count) : std::nullopt;
    if (!column || !column->decode(0, count, zstd, out)) {
        out.clear();
        in.set_failed();
    }
}

} // namespace

void put_chunk(const std::vector<int64_t>& values, std::string& out) {
    std::string bytes;
    codec::encode_int_column(values, bytes);
    base::put_bytes(out, bytes);
}

void put_chunk(const codec::bitmap& bits, std::string& out) {
    std::string bytes;
    codec::encode_bitmap(bits, bytes);
    base::put_bytes(out, bytes);
}

void put_chunk(const codec::texts& values, codec::zstd_compressor& zstd, std::string& out) {
    std::string bytes;
    codec::encode_text_column(values, zstd, bytes);
    base::put_bytes(out, bytes);
}

void put_sorted_chunk(const codec::texts& values, codec::zstd_compressor& zstd, std::string& out) {
    std::string bytes;
    codec::encode_text_front(values, zstd, bytes);
    base::put_bytes(out, bytes);
}

void take_chunk(base::byte_reader& in, size_t count, std::vector<int64_t>& out) {
    out.clear();
    const auto bytes = in.bytes();
    const auto column = in.ok() ? codec::int_column::open(bytes, count) : std::nullopt;
    if (!column) {
        in.set_failed();
        return;
    }
    out.resize(count);
    if (!column->decode(0, out)) {
        out.clear();
        in.set_failed();
    }
}

void take_chunk(base::byte_reader& in, size_t count, codec::bitmap& out) {
    const auto bytes = in.bytes();
    if (!in.ok() || !codec::decode_bitmap(bytes, count, out)) {
        out.clear();
        in.set_failed();
    }
}

void take_chunk(base::byte_reader& in, size_t count, codec::zstd_decompressor& zstd, codec::texts& out) {
    take_texts<codec::text_column>(in, count, zstd, out);
}

void take_sorted_chunk(base::byte_reader& in, size_t count, codec::zstd_decompressor& zstd, codec::texts& out) {
    take_texts<codec::text_front>(in, count, zstd, out);
}

} // namespace tables
