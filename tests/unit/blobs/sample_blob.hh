// Makes, opens and reads whole blobs in memory.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blobs/core/blob_builder.hh"
#include "blobs/core/blob_view.hh"
#include "blobs/core/record_buffer.hh"
#include "blobs/core/record_code.hh"
#include "tests/unit/blobs/sample_records.hh"

namespace blobs::test {

inline void drain(blob_builder& builder, std::string& file) {
    while (const auto bytes = builder.step()) {
        file += *bytes;
    }
}

inline std::string make_blob(std::span<const owned_record> records, uint64_t seed = 7) {
    block_builder block(zstd_level_seal);
    blob_builder builder({"web", base::unix_epoch, 1}, seed, block);
    uint64_t raw_bytes = 0;
    for (const auto& r : records) {
        raw_bytes += r.text.size() + 1;
    }
    builder.expect(raw_bytes);
    std::string file;
    std::vector<base::property> fields;
    for (const auto& r : records) {
        if (builder.add(r.view(fields))) {
            drain(builder, file);
        }
    }
    builder.finish();
    drain(builder, file);
    return file;
}

inline void add_to(record_buffer& buffer, const record& r) {
    std::string coded;
    put_record(r, coded);
    buffer.add(r, coded);
}

inline base::expected<blob_view> open_blob(std::string_view file) {
    if (file.size() < blob_layout::trailers_bytes) {
        return base::fail(base::errc::corrupt, "too short");
    }
    const auto trailer = blob_trailer::parse(file.substr(file.size() - blob_layout::trailers_bytes), file.size());
    if (!trailer) {
        return std::unexpected(trailer.error());
    }
    return blob_view::open(*trailer, file.substr(trailer->footers().offset, trailer->footers().size));
}

inline std::string_view bytes_of(std::string_view file, blob_extent extent) {
    return file.substr(extent.offset, extent.size);
}

} // namespace blobs::test
