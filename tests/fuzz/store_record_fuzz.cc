// The small files of a store, the names of its other files and the lists at their ends. What is read is written again as the same
// bytes. The first byte picks what; a checksum is put behind bytes that need one, so that what is under it is reached.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/checksum.hh"
#include "base/coding.hh"
#include "blobs/core/blob_name.hh"
#include "blobs/core/file/blob_directory.hh"
#include "shard/core/identity_record.hh"
#include "shard/core/scrub_record.hh"
#include "shard/core/wal_record.hh"
#include "tables/core/segment/segment_directory.hh"
#include "tables/core/segment/segment_name.hh"

namespace {

void require(bool law) {
    if (!law) {
        std::abort();
    }
}

std::string with_checksum(std::string_view bytes) {
    std::string sealed(bytes);
    base::put_fixed(sealed, base::checksum64(bytes));
    return sealed;
}

void read_identity(std::string_view bytes) {
    const auto sealed = with_checksum(bytes);
    if (const auto identity = shard::decode_identity(sealed)) {
        require(shard::encode(*identity) == sealed);
    }
}

void read_scrub(std::string_view bytes) {
    if (const auto record = shard::decode_scrub_record(with_checksum(bytes))) {
        require(shard::decode_scrub_record(shard::encode(*record)) == *record);
    }
}

template <class Directory>
void read_list(std::string_view bytes) {
    if (const auto list = Directory::parse_list(bytes)) {
        std::string again;
        list->encode_list(again);
        const auto back = Directory::parse_list(again);
        std::string third;
        require(back.has_value());
        back->encode_list(third);
        require(third == again);
    }
}

void read_directories(std::string_view bytes) {
    constexpr uint64_t file_size = 1 << 20;
    (void)tables::segment_directory::parse(bytes, file_size).has_value();
    (void)tables::segment_directory::parse(with_checksum(bytes), file_size).has_value();
    for (const auto& end : {std::string(bytes), with_checksum(bytes)}) {
        const auto tail = std::string_view(end).substr(end.size() - std::min(end.size(), blobs::blob_directory::tail_bytes));
        const auto needed = blobs::blob_directory::end_bytes(tail);
        if (needed && *needed <= end.size()) {
            (void)blobs::blob_directory::parse(std::string_view(end).substr(end.size() - *needed), file_size).has_value();
        }
    }
}

void read_names(std::string_view name) {
    if (const auto parts = shard::parse_wal_file_name(name)) {
        require(shard::wal_file_name(parts->shard, parts->number) == name);
    }
    if (const auto parts = tables::segment_name::parse(name)) {
        require(parts->text() == name);
    }
    if (const auto identity = blobs::parse_blob_name(name)) {
        require(blobs::blob_name(*identity) == name);
    }
    if (const auto source = blobs::parse_safe_source(name)) {
        require(blobs::safe_source(*source) == name);
    }
    const auto safe = blobs::safe_source(name.substr(0, 255));
    require(!safe.contains('/') && !safe.starts_with('.') && blobs::parse_safe_source(safe) == name.substr(0, 255));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    switch (data[0] % 6) {
    case 0: read_identity(bytes); break;
    case 1: read_scrub(bytes); break;
    case 2: read_list<tables::segment_directory>(bytes); break;
    case 3: read_list<blobs::blob_directory>(bytes); break;
    case 4: read_directories(bytes); break;
    case 5: read_names(bytes); break;
    }
    return 0;
}
