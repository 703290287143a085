#include "tables/core/family/spread.hh"

#include "base/checksum.hh"
#include "base/coding.hh"

namespace tables {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr size_t suffix_bytes = 3;

} // namespace

unsigned spread_bucket(int64_t time_ns, unsigned spread) {
    char bytes[sizeof time_ns];
    std::memcpy(bytes, &time_ns, sizeof bytes); // little-endian, see base/coding.hh
    return static_cast<unsigned>(base::stable_hash({bytes, sizeof bytes}) % spread);
}

void append_spread_suffix(unsigned bucket, std::string& partition_key) {
    partition_key += '~';
    partition_key += hex_digits[bucket >> 4 & 15];
    partition_key += hex_digits[bucket & 15];
}

std::optional<unsigned> take_spread_suffix(std::string_view& partition_key) {
    if (partition_key.size() < suffix_bytes || partition_key[partition_key.size() - suffix_bytes] != '~') {
        return std::nullopt;
    }
    const size_t high = hex_digits.find(partition_key[partition_key.size() - 2]);
    const size_t low = hex_digits.find(partition_key[partition_key.size() - 1]);
    if (high == hex_digits.npos || low == hex_digits.npos) {
        return std::nullopt;
    }
    partition_key.remove_suffix(suffix_bytes);
    return static_cast<unsigned>(high << 4 | low);
}

} // namespace tables
