// zstd at a level of choice. A context costs some hundred KiB up to a few MiB, so one is made once and reused; it lives on one
// shard.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace blobs {

// The levels in use: for the log, for blobs made from buffers, for merged blobs, for texts that a client wants compressed.
constexpr int zstd_level_log = 1;
constexpr int zstd_level_seal = 3;
constexpr int zstd_level_merge = 9;
constexpr int zstd_level_text = 1;

class zstd_compressor {
public:
    explicit zstd_compressor(int level);

    // Compresses only where it pays: appends and says true when the result is smaller by at least one part in saving_part.
    static constexpr size_t saving_part = 16;
    [[nodiscard]] bool compress(std::string_view bytes, std::string& out);
    // Appends a frame in any case.
    void frame(std::string_view bytes, std::string& out);

private:
    // False, with nothing appended, when it takes more than `limit`.
    bool append(std::string_view bytes, size_t limit, std::string& out);

    struct deleter {
        void operator()(ZSTD_CCtx_s*) const;
    };
    std::unique_ptr<ZSTD_CCtx_s, deleter> _context;
};

class zstd_decompressor {
public:
    zstd_decompressor();

    // False when `bytes` is not one frame of exactly out.size() bytes; never writes more.
    [[nodiscard]] bool decompress(std::string_view bytes, std::span<char> out);

private:
    struct deleter {
        void operator()(ZSTD_DCtx_s*) const;
    };
    std::unique_ptr<ZSTD_DCtx_s, deleter> _context;
};

} // namespace blobs
