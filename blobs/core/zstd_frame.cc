#include "blobs/core/zstd_frame.hh"

#include <cassert>
#include <new>

#include <zstd.h>

namespace blobs {

void zstd_compressor::deleter::operator()(ZSTD_CCtx_s* context) const {
    ZSTD_freeCCtx(context);
}

void zstd_decompressor::deleter::operator()(ZSTD_DCtx_s* context) const {
    ZSTD_freeDCtx(context);
}

zstd_compressor::zstd_compressor(int level) : _context(ZSTD_createCCtx()) {
    if (!_context) {
        throw std::bad_alloc();
    }
    ZSTD_CCtx_setParameter(_context.get(), ZSTD_c_compressionLevel, level);
    // The size is known from outside, and all bytes have a checksum of their own.
    ZSTD_CCtx_setParameter(_context.get(), ZSTD_c_contentSizeFlag, 0);
    ZSTD_CCtx_setParameter(_context.get(), ZSTD_c_checksumFlag, 0);
}

bool zstd_compressor::compress(std::string_view bytes, std::string& out) {
    const size_t limit = bytes.size() - (bytes.size() + saving_part - 1) / saving_part;
    // It fails when the result does not fit, which is what not paying means here.
    return append(bytes, limit, out);
}

void zstd_compressor::frame(std::string_view bytes, std::string& out) {
    const bool fits = append(bytes, ZSTD_compressBound(bytes.size()), out);
    assert(fits); // the bound is what it takes at most
    (void)fits;
}

// The memory is not set before it is written to: there is as much as the bytes have, and mostly a fraction of it is used.
bool zstd_compressor::append(std::string_view bytes, size_t limit, std::string& out) {
    const size_t before = out.size();
    bool fits = false;
    out.resize_and_overwrite(before + limit, [&](char* data, size_t) {
        const size_t size = ZSTD_compress2(_context.get(), data + before, limit, bytes.data(), bytes.size());
        fits = ZSTD_isError(size) == 0;
        return fits ? before + size : before;
    });
    return fits;
}

zstd_decompressor::zstd_decompressor() : _context(ZSTD_createDCtx()) {
    if (!_context) {
        throw std::bad_alloc();
    }
}

bool zstd_decompressor::decompress(std::string_view bytes, std::span<char> out) {
    const size_t size = ZSTD_decompressDCtx(_context.get(), out.data(), out.size(), bytes.data(), bytes.size());
    return ZSTD_isError(size) == 0 && size == out.size();
}

} // namespace blobs
