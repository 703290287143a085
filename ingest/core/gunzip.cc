#include "ingest/core/gunzip.hh"

#include <new>

#include <zlib.h>

namespace ingest {

// Both formats, told apart by their heads, with the largest window.
static constexpr int any_format = 32 + MAX_WBITS;

gunzip::gunzip(uint64_t bytes_max)
    : _stream(std::make_unique<z_stream_s>()), _piece(std::make_unique<char[]>(piece_bytes)), _bytes_max(bytes_max) {
    if (::inflateInit2(_stream.get(), any_format) != Z_OK) {
        throw std::bad_alloc();
    }
}

gunzip::~gunzip() {
    ::inflateEnd(_stream.get());
}

std::expected<std::string_view, gunzip::fault> gunzip::next(std::string_view& input) {
    for (;;) {
        if (_is_whole && !input.empty()) {
            ::inflateReset(_stream.get());
            _is_whole = false;
        }
        _stream->next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(input.data())); // zlib only reads it
        _stream->avail_in = static_cast<unsigned>(input.size());
        _stream->next_out = reinterpret_cast<unsigned char*>(_piece.get());
        _stream->avail_out = piece_bytes;
        const int status = _is_whole ? Z_STREAM_END : ::inflate(_stream.get(), Z_NO_FLUSH);
        input.remove_prefix(input.size() - _stream->avail_in);
        // Z_BUF_ERROR: nothing more can be done with what there is.
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
            return std::unexpected(fault::broken);
        }
        _is_whole = status == Z_STREAM_END;
        const size_t count = piece_bytes - _stream->avail_out;
        _inflated_bytes += count;
        if (_inflated_bytes > _bytes_max) {
            return std::unexpected(fault::too_large);
        }
        if (count > 0 || input.empty()) {
            return std::string_view(_piece.get(), count);
        }
    }
}

} // namespace ingest
