#include "blobs/core/file/blob_directory.hh"

#include <fmt/format.h>

#include "base/checksum.hh"
#include "base/coding.hh"

namespace blobs {
namespace {

constexpr uint32_t version = 1;
constexpr uint64_t magic = 0x5249444c424c544e; // "NTLBLDIR"
constexpr size_t checksum_bytes = sizeof(uint64_t);

std::unexpected<base::error> damaged(const char* what) {
    return base::fail(base::errc::corrupt, fmt::format("the directory of a blob file does not parse: {}", what));
}

void put_entry(const stored_blob& b, std::string& out) {
    base::put_bytes(out, b.identity.source);
    base::put_varint(out, static_cast<uint64_t>(b.identity.period_start.value));
    base::put_varint(out, b.identity.counter);
    base::put_varint(out, b.extent.offset);
    base::put_varint(out, b.extent.size);
    base::put_varint(out, b.records_count);
    base::put_varint(out, b.raw_bytes);
    base::put_varint(out, base::zigzag(b.first_ns));
    base::put_varint(out, static_cast<uint64_t>(b.last_ns) - static_cast<uint64_t>(b.first_ns));
    base::put_varint(out, b.levels);
}

stored_blob take_entry(base::byte_reader& in) {
    stored_blob b;
    b.identity.source = in.bytes();
    b.identity.period_start.value = static_cast<int64_t>(in.varint());
    b.identity.counter = in.varint();
    b.extent.offset = in.varint();
    b.extent.size = in.varint();
    b.records_count = in.varint();
    b.raw_bytes = in.varint();
    b.first_ns = base::unzigzag(in.varint());
    b.last_ns = static_cast<int64_t>(static_cast<uint64_t>(b.first_ns) + in.varint());
    b.levels = static_cast<level_set>(in.varint() & all_levels);
    return b;
}

bool is_sound(const stored_blob& b) {
    return b.identity.source.size() <= source_bytes_max && b.identity.period_start >= base::tick{} &&
           b.identity.period_start <= base::tick_max && b.first_ns <= b.last_ns;
}

} // namespace

size_t blob_directory::entry_bytes(const stored_blob& b) {
    std::string entry;
    put_entry(b, entry);
    return entry.size();
}

void blob_directory::encode_list(std::string& out) const {
    base::put_varint(out, blobs.size());
    for (const auto& b : blobs) {
        put_entry(b, out);
    }
}

base::expected<blob_directory> blob_directory::parse_list(std::string_view bytes) {
    base::byte_reader in(bytes);
    blob_directory directory;
    const auto count = in.varint();
    if (count > blobs_max) {
        return damaged("too many blobs");
    }
    uint64_t end = 0; // of the one before
    for (uint64_t i = 0; i < count && in.ok(); ++i) {
        auto b = take_entry(in);
        if (b.extent.offset < end || b.extent.end() < b.extent.offset || !is_sound(b)) {
            return damaged("an entry is out of bounds");
        }
        end = b.extent.end();
        directory.blobs.push_back(std::move(b));
    }
    if (!in.done()) {
        return damaged("list");
    }
    return directory;
}

void blob_directory::encode(std::string& out) const {
    const size_t begin = out.size();
    encode_list(out);
    base::put_fixed(out, static_cast<uint64_t>(out.size() - begin));
    base::put_fixed(out, version);
    base::put_fixed(out, uint32_t{0});
    base::put_fixed(out, magic);
    base::put_fixed(out, base::checksum64(std::string_view(out).substr(begin), magic));
}

base::expected<size_t> blob_directory::end_bytes(std::string_view tail) {
    if (tail.size() != tail_bytes) {
        return damaged("file too short");
    }
    base::byte_reader in(tail);
    const auto list_bytes = in.fixed<uint64_t>();
    const auto file_version = in.fixed<uint32_t>();
    const auto zero = in.fixed<uint32_t>();
    if (in.fixed<uint64_t>() != magic || zero != 0 || list_bytes > list_bytes_max) {
        return damaged("tail");
    }
    if (file_version > version) {
        return base::fail(base::errc::newer_format, fmt::format("a blob file of version {}", file_version));
    }
    return list_bytes + tail_bytes;
}

base::expected<blob_directory> blob_directory::parse(std::string_view file_end, uint64_t file_size) {
    if (file_end.size() < tail_bytes || file_end.size() > file_size) {
        return damaged("file too short");
    }
    const auto wanted = end_bytes(file_end.substr(file_end.size() - tail_bytes));
    if (!wanted) {
        return std::unexpected(wanted.error());
    }
    if (*wanted != file_end.size()) {
        return damaged("tail");
    }
    base::byte_reader checksum(file_end.substr(file_end.size() - checksum_bytes));
    if (base::checksum64(file_end.substr(0, file_end.size() - checksum_bytes), magic) != checksum.fixed<uint64_t>()) {
        return damaged("checksum");
    }
    auto directory = parse_list(file_end.substr(0, file_end.size() - tail_bytes));
    if (directory && !directory->blobs.empty() && directory->blobs.back().extent.end() > file_size - file_end.size()) {
        return damaged("a blob beyond the end");
    }
    return directory;
}

} // namespace blobs
