// Batches of log records from anywhere: whatever is read can be written again, and comes back as it was.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "blobs/core/record_batch.hh"

using namespace blobs;

static void check(bool is_good) {
    if (!is_good) {
        std::abort();
    }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static zstd_decompressor unzstd;
    static zstd_compressor zstd(zstd_level_log);
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    std::string scratch;
    record_batch_builder builder;
    size_t count = 0;
    const auto read = read_batch(bytes, unzstd, scratch, [&](std::string_view source, const record& r, std::string_view) {
        check(is_within_limits(r) && source.size() <= source_bytes_max);
        builder.begin_group(source, r.order.lane, r.order.sequence);
        if (!builder.is_full()) {
            builder.add(r);
            ++count;
        }
    });
    check(read || count == 0);
    if (!read) {
        return 0;
    }
    std::string again;
    builder.finish(zstd, again);
    std::string other_scratch;
    size_t back = 0;
    check(
        read_batch(again, unzstd, other_scratch, [&](std::string_view, const record&, std::string_view) { ++back; }).has_value());
    check(back == count);
    return 0;
}
