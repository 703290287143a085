#include "shard/core/scrub_record.hh"

#include <algorithm>

#include "base/checksum.hh"
#include "base/coding.hh"

namespace shard {
namespace {

constexpr std::string_view scrub_magic{"scrub\0\0\1", 8};
constexpr size_t length_bytes_max = 5; // of a sentence

base::tick take_tick(base::byte_reader& in) {
    return base::tick{static_cast<int64_t>(in.fixed<uint64_t>())};
}

} // namespace

std::string encode(const scrub_record& r) {
    std::string out(scrub_magic);
    base::put_fixed(out, static_cast<uint64_t>(r.begun.value));
    base::put_fixed(out, static_cast<uint64_t>(r.ended.value));
    base::put_varint(out, r.files_count);
    base::put_varint(out, r.bytes);
    base::put_varint(out, r.damaged_count);
    for (const auto& sentence : r.damage) {
        if (out.size() + length_bytes_max + sentence.size() + sizeof(uint64_t) > scrub_record_bytes_max) {
            break;
        }
        base::put_bytes(out, sentence);
    }
    base::put_fixed(out, base::checksum64(out));
    return out;
}

base::expected<scrub_record> decode_scrub_record(std::string_view bytes) {
    const auto covered = bytes.substr(0, bytes.size() - std::min(bytes.size(), sizeof(uint64_t)));
    const auto checksum = base::byte_reader(bytes.substr(covered.size())).fixed<uint64_t>();
    base::byte_reader in(covered);
    if (in.take(scrub_magic.size()) != scrub_magic || checksum != base::checksum64(covered)) {
        return base::fail(base::errc::corrupt, "the record of the last scrub does not pass its checksum");
    }
    scrub_record r{.begun = take_tick(in), .ended = take_tick(in)};
    r.files_count = in.varint();
    r.bytes = in.varint();
    r.damaged_count = in.varint();
    while (in.ok() && in.remaining() > 0) {
        r.damage.emplace_back(in.bytes());
    }
    if (!in.done()) {
        return base::fail(base::errc::corrupt, "the record of the last scrub is cut off");
    }
    return r;
}

} // namespace shard
