#include "shard/core/manifest_edit.hh"

#include <algorithm>

#include <fmt/format.h>

#include "base/coding.hh"

namespace shard {
namespace {

constexpr uint8_t marks_kind = 1;

} // namespace

void high_water_marks::raise_to(const high_water_marks& other) {
    epoch = std::max(epoch, other.epoch);
    sequence = std::max(sequence, other.sequence);
    timestamp = std::max(timestamp, other.timestamp);
}

std::string encode(const high_water_marks& marks) {
    std::string out;
    base::put_fixed(out, marks_kind);
    base::put_fixed(out, marks.epoch);
    base::put_fixed(out, marks.sequence.value);
    base::put_fixed(out, static_cast<uint64_t>(marks.timestamp.value));
    return out;
}

base::expected<high_water_marks> decode_manifest_edit(std::string_view bytes) {
    base::byte_reader in(bytes);
    if (const auto kind = in.fixed<uint8_t>(); in.ok() && kind != marks_kind) {
        return base::fail(base::errc::newer_format, fmt::format("an edit of kind {} in a manifest", kind));
    }
    high_water_marks marks;
    marks.epoch = in.fixed<uint64_t>();
    marks.sequence = base::sequence{in.fixed<uint64_t>()};
    marks.timestamp = base::tick{static_cast<int64_t>(in.fixed<uint64_t>())};
    if (!in.done()) {
        return base::fail(base::errc::corrupt, "an edit of a manifest does not parse");
    }
    return marks;
}

} // namespace shard
