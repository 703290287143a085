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
    const size_t before = out.size();
    out.resize(before + limit);
    // It fails when the result does not fit, which is what not paying means here.
    const size_t size = ZSTD_compress2(_context.get(), out.data() + before, limit, bytes.data(), bytes.size());
    const bool pays = ZSTD_isError(size) == 0;
    out.resize(pays ? before + size : before);
    return pays;
}

void zstd_compressor::frame(std::string_view bytes, std::string& out) {
    const size_t before = out.size();
    out.resize(before + ZSTD_compressBound(bytes.size()));
    const size_t size = ZSTD_compress2(_context.get(), out.data() + before, out.size() - before, bytes.data(), bytes.size());
    assert(ZSTD_isError(size) == 0); // the bound is what it takes at most
    out.resize(before + size);
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
