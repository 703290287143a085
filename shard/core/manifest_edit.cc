#include "shard/core/manifest_edit.hh"

#include <algorithm>

#include <fmt/format.h>

#include "base/coding.hh"

namespace shard {
namespace {

constexpr uint8_t marks_kind = 1;
constexpr uint8_t files_kind = 2;
constexpr uint8_t lane_kind = 3;
constexpr uint8_t taken_kind = 4;
constexpr uint8_t replayed_kind = 5;

void append(std::string& out, const std::vector<manifest_file>& files) {
    base::put_varint(out, files.size());
    for (const auto& file : files) {
        base::put_bytes(out, file.name);
        base::put_bytes(out, file.facts);
    }
}

void append(std::string& out, const high_water_marks& marks) {
    base::put_fixed(out, marks_kind);
    base::put_fixed(out, marks.epoch);
    base::put_fixed(out, marks.sequence.value);
    base::put_fixed(out, static_cast<uint64_t>(marks.timestamp.value));
}

uint8_t kind_of(const files_edit& edit) {
    return !edit.released.empty() ? taken_kind : !edit.lanes.empty() ? replayed_kind : files_kind;
}

void append_lane(std::string& out, const lane_mark& mark) {
    base::put_fixed(out, mark.shard);
    base::put_fixed(out, mark.sequence.value);
}

void append(std::string& out, const files_edit& edit) {
    const auto kind = kind_of(edit);
    base::put_fixed(out, kind);
    base::put_fixed(out, static_cast<uint8_t>(edit.owner));
    base::put_fixed(out, edit.flushed.epoch);
    base::put_fixed(out, edit.flushed.shards_count);
    base::put_fixed(out, edit.flushed.sequence.value);
    base::put_varint(out, edit.removed.size());
    for (const auto& name : edit.removed) {
        base::put_bytes(out, name);
    }
    append(out, edit.added);
    if (kind == taken_kind) {
        append(out, edit.released);
    }
    if (kind == replayed_kind) {
        base::put_varint(out, edit.lanes.size());
        for (const auto& mark : edit.lanes) {
            append_lane(out, mark);
        }
    }
}

void append(std::string& out, const lane_mark& mark) {
    base::put_fixed(out, lane_kind);
    append_lane(out, mark);
}

high_water_marks take_marks(base::byte_reader& in) {
    high_water_marks marks;
    marks.epoch = in.fixed<uint64_t>();
    marks.sequence = base::sequence{in.fixed<uint64_t>()};
    marks.timestamp = base::tick{static_cast<int64_t>(in.fixed<uint64_t>())};
    return marks;
}

std::vector<manifest_file> take_list(base::byte_reader& in) {
    std::vector<manifest_file> files;
    for (auto count = in.varint(); count > 0 && in.ok(); --count) {
        auto& file = files.emplace_back();
        file.name = in.bytes();
        file.facts = in.bytes();
    }
    return files;
}

files_edit take_files(base::byte_reader& in) {
    files_edit edit;
    const auto owner = in.fixed<uint8_t>();
    if (owner != static_cast<uint8_t>(log_owner::rows) && owner != static_cast<uint8_t>(log_owner::records)) {
        in.set_failed();
        return edit;
    }
    edit.owner = static_cast<log_owner>(owner);
    edit.flushed.epoch = in.fixed<uint64_t>();
    edit.flushed.shards_count = in.fixed<uint32_t>();
    edit.flushed.sequence = base::sequence{in.fixed<uint64_t>()};
    for (auto count = in.varint(); count > 0 && in.ok(); --count) {
        edit.removed.emplace_back(in.bytes());
    }
    edit.added = take_list(in);
    return edit;
}

files_edit take_taken(base::byte_reader& in) {
    auto edit = take_files(in);
    edit.released = take_list(in);
    return edit;
}

lane_mark take_lane(base::byte_reader& in) {
    lane_mark mark;
    mark.shard = in.fixed<uint32_t>();
    mark.sequence = base::sequence{in.fixed<uint64_t>()};
    return mark;
}

files_edit take_replayed(base::byte_reader& in) {
    auto edit = take_files(in);
    for (auto count = in.varint(); count > 0 && in.ok(); --count) {
        edit.lanes.push_back(take_lane(in));
    }
    return edit;
}

} // namespace

void high_water_marks::raise_to(const high_water_marks& other) {
    epoch = std::max(epoch, other.epoch);
    sequence = std::max(sequence, other.sequence);
    timestamp = std::max(timestamp, other.timestamp);
}

std::string encode(const manifest_edit& edit) {
    std::string out;
    std::visit([&out](const auto& e) { append(out, e); }, edit);
    return out;
}

base::expected<manifest_edit> decode_manifest_edit(std::string_view bytes) {
    base::byte_reader in(bytes);
    manifest_edit edit;
    switch (const auto kind = in.fixed<uint8_t>(); kind) {
    case marks_kind: edit = take_marks(in); break;
    case files_kind: edit = take_files(in); break;
    case lane_kind: edit = take_lane(in); break;
    case taken_kind: edit = take_taken(in); break;
    case replayed_kind: edit = take_replayed(in); break;
    default:
        if (in.ok()) {
            return base::fail(base::errc::newer_format, fmt::format("an edit of kind {} in a manifest", kind));
        }
    }
    // Encoded again it must be the same, so that no two texts mean one edit.
    if (!in.done() || encode(edit) != bytes) {
        return base::fail(base::errc::corrupt, "an edit of a manifest does not parse");
    }
    return edit;
}

} // namespace shard
