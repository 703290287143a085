#include "shard/core/identity_record.hh"

#include <algorithm>

#include <fmt/format.h>

#include "base/checksum.hh"
#include "base/coding.hh"

namespace shard {
namespace {

constexpr std::string_view identity_magic{"downtick", 8};

} // namespace

std::string encode(const identity& i) {
    std::string out(identity_magic);
    base::put_fixed(out, i.version);
    base::put_fixed(out, i.store);
    base::put_fixed(out, static_cast<uint64_t>(i.created.value));
    base::put_fixed(out, base::checksum64(out));
    return out;
}

base::expected<identity> decode_identity(std::string_view bytes) {
    // Every version ends with the checksum of all before it, so that a later one is not taken for damage.
    const auto covered = bytes.substr(0, bytes.size() - std::min(bytes.size(), sizeof(uint64_t)));
    const auto checksum = base::byte_reader(bytes.substr(covered.size())).fixed<uint64_t>();
    base::byte_reader in(covered);
    if (in.take(identity_magic.size()) != identity_magic || checksum != base::checksum64(covered)) {
        return base::fail(base::errc::corrupt, "the identity file does not pass its checksum");
    }
    identity result;
    result.version = in.fixed<uint32_t>();
    if (result.version > store_format_version) {
        return base::fail(base::errc::newer_format,
                          fmt::format("the data directory is in format {}, this program knows up to {}; use a newer downtick",
                                      result.version, store_format_version));
    }
    result.store = in.fixed<uint64_t>();
    result.created = base::tick{static_cast<int64_t>(in.fixed<uint64_t>())};
    if (!in.done()) {
        return base::fail(base::errc::corrupt, "the identity file has the wrong length");
    }
    return result;
}

} // namespace shard
