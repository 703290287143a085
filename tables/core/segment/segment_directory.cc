#include "tables/core/segment/segment_directory.hh"

#include <fmt/format.h>

#include "base/checksum.hh"

namespace tables {
namespace {

constexpr uint32_t directory_version = 1;
constexpr uint64_t directory_magic = 0x5249444753544e44; // "DNTSGDIR"
constexpr size_t checksum_bytes = sizeof(uint64_t);

std::unexpected<base::error> bad_directory(const char* what) {
    return base::fail(base::errc::corrupt, fmt::format("the directory of a segment file does not parse: {}", what));
}

} // namespace

void segment_directory::encode_list(std::string& out) const {
    base::put_varint(out, segments.size());
    for (const auto& s : segments) {
        base::put_varint(out, s.table.value);
        base::put_varint(out, s.extent.offset);
        base::put_varint(out, s.extent.size);
    }
}

base::expected<segment_directory> segment_directory::parse_list(std::string_view bytes) {
    base::byte_reader in(bytes);
    segment_directory directory;
    const auto count = in.varint();
    if (count > segments_max) {
        return bad_directory("too many segments");
    }
    uint64_t end = 0; // of the one before
    for (uint64_t i = 0; i < count && in.ok(); ++i) {
        stored_segment s;
        s.table.value = in.varint();
        s.extent.offset = in.varint();
        s.extent.size = in.varint();
        if (s.extent.offset < end || s.extent.end() < s.extent.offset) {
            return bad_directory("segments overlap");
        }
        end = s.extent.end();
        directory.segments.push_back(s);
    }
    if (!in.done()) {
        return bad_directory("list");
    }
    return directory;
}

void segment_directory::encode(std::string& out) const {
    const size_t begin = out.size();
    encode_list(out);
    base::put_fixed(out, static_cast<uint64_t>(out.size() - begin));
    base::put_fixed(out, directory_version);
    base::put_fixed(out, uint32_t{0});
    base::put_fixed(out, directory_magic);
    base::put_fixed(out, base::checksum64(std::string_view(out).substr(begin), directory_magic));
}

base::expected<segment_directory> segment_directory::parse(std::string_view file_end, uint64_t file_size) {
    if (file_end.size() < tail_bytes || file_end.size() > file_size) {
        return bad_directory("file too short");
    }
    base::byte_reader tail(file_end.substr(file_end.size() - tail_bytes));
    const auto list_bytes = tail.fixed<uint64_t>();
    const auto file_version = tail.fixed<uint32_t>();
    const auto zero = tail.fixed<uint32_t>();
    const auto file_magic = tail.fixed<uint64_t>();
    const auto checksum = tail.fixed<uint64_t>();
    if (file_magic != directory_magic || list_bytes > file_end.size() - tail_bytes) {
        return bad_directory("tail");
    }
    const auto covered = file_end.substr(file_end.size() - tail_bytes - list_bytes, list_bytes + tail_bytes - checksum_bytes);
    if (base::checksum64(covered, directory_magic) != checksum || zero != 0) {
        return bad_directory("checksum");
    }
    if (file_version != directory_version) {
        return base::fail(base::errc::newer_format, fmt::format("a segment file of version {}", file_version));
    }
    auto directory = parse_list(covered.substr(0, list_bytes));
    if (directory && !directory->segments.empty() &&
        directory->segments.back().extent.end() > file_size - tail_bytes - list_bytes) {
        return bad_directory("a segment beyond the end");
    }
    return directory;
}

} // namespace tables
