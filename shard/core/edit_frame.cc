#include "shard/core/edit_frame.hh"

#include <cassert>

#include "base/checksum.hh"
#include "base/coding.hh"

namespace shard {
namespace {

constexpr std::string_view edit_magic("DTICKEDT", 8);

size_t padded(size_t length) {
    return (length + edit_frame_alignment - 1) / edit_frame_alignment * edit_frame_alignment;
}

bool is_zero(std::string_view bytes) {
    return bytes.find_first_not_of('\0') == std::string_view::npos;
}

} // namespace

std::string encode_edit_header(const edit_header& header) {
    std::string body(edit_magic);
    base::put_fixed<uint32_t>(body, edit_log_version);
    base::put_fixed<uint32_t>(body, 0);
    base::put_fixed(body, header.log_id);
    base::put_fixed(body, header.generation);
    base::put_fixed(body, header.snapshot_count);
    body.resize(edit_block_bytes - sizeof(uint64_t));
    std::string block;
    base::put_fixed(block, base::checksum64(body));
    return block + body;
}

base::expected<edit_header> parse_edit_header(std::string_view block) {
    base::byte_reader in(block.substr(0, edit_block_bytes));
    const auto checksum = in.fixed<uint64_t>();
    if (block.size() < edit_block_bytes || checksum != base::checksum64(in.rest()) || in.take(edit_magic.size()) != edit_magic) {
        return base::fail(base::errc::corrupt, "not the header of an edit log, or damaged");
    }
    if (const auto version = in.fixed<uint32_t>(); version != edit_log_version) {
        return base::fail(base::errc::newer_format, "edit log of version " + std::to_string(version) + ", this program knows " +
                                                        std::to_string(edit_log_version));
    }
    in.fixed<uint32_t>();
    edit_header header;
    header.log_id = in.fixed<uint64_t>();
    header.generation = in.fixed<uint64_t>();
    header.snapshot_count = in.fixed<uint64_t>();
    return header;
}

uint64_t edit_seed(const edit_header& header) {
    std::string place;
    base::put_fixed(place, header.log_id);
    base::put_fixed(place, header.generation);
    return base::checksum64(place);
}

size_t edit_frame::frame_bytes() const {
    return edit_frame_head_bytes + padded(edit.size());
}

void put_edit_frame(std::string& out, uint64_t seed, const edit_frame& frame) {
    assert(frame.edit.size() <= edit_bytes_max);
    std::string head;
    base::put_fixed(head, static_cast<uint32_t>(frame.edit.size()));
    base::put_fixed(head, frame.number);
    base::put_fixed(head, frame.durable);
    base::put_fixed(head, base::checksum64(frame.edit, seed));
    base::put_fixed(out, base::checksum32(head, seed));
    out += head;
    out += frame.edit;
    out.append(padded(frame.edit.size()) - frame.edit.size(), '\0');
}

std::optional<edit_frame> parse_edit_frame(std::string_view bytes, uint64_t seed) {
    if (bytes.size() < edit_frame_head_bytes) {
        return std::nullopt;
    }
    base::byte_reader in(bytes);
    const auto head_checksum = in.fixed<uint32_t>();
    const auto head = bytes.substr(sizeof head_checksum, edit_frame_head_bytes - sizeof head_checksum);
    if (head_checksum != base::checksum32(head, seed)) {
        return std::nullopt;
    }
    const auto length = in.fixed<uint32_t>();
    edit_frame frame;
    frame.number = in.fixed<uint64_t>();
    frame.durable = in.fixed<uint64_t>();
    const auto edit_checksum = in.fixed<uint64_t>();
    if (length > edit_bytes_max) {
        return std::nullopt;
    }
    const auto body = in.take(padded(length));
    frame.edit = body.substr(0, length);
    if (!in.ok() || edit_checksum != base::checksum64(frame.edit, seed) || !is_zero(body.substr(length))) {
        return std::nullopt;
    }
    return frame;
}

} // namespace shard
