#include "base/spread.hh"

#include <cstring>

#include "base/checksum.hh"
#include "base/coding.hh"

namespace base {
namespace {

constexpr std::string_view suffix_digits = "0123456789abcdef";
constexpr size_t suffix_bytes = 3;

} // namespace

unsigned spread_bucket(int64_t time_ns, unsigned spread) {
    char bytes[sizeof time_ns];
    std::memcpy(bytes, &time_ns, sizeof bytes); // little-endian, see base/coding.hh
    return static_cast<unsigned>(stable_hash({bytes, sizeof bytes}) % spread);
}

void append_spread_suffix(unsigned bucket, std::string& partition_key) {
    partition_key += '~';
    partition_key += suffix_digits[bucket >> 4 & 15];
    partition_key += suffix_digits[bucket & 15];
}

std::optional<unsigned> take_spread_suffix(std::string_view& partition_key) {
    if (partition_key.size() < suffix_bytes || partition_key[partition_key.size() - suffix_bytes] != '~') {
        return std::nullopt;
    }
    const size_t high = suffix_digits.find(partition_key[partition_key.size() - 2]);
    const size_t low = suffix_digits.find(partition_key[partition_key.size() - 1]);
    if (high == suffix_digits.npos || low == suffix_digits.npos) {
        return std::nullopt;
    }
    partition_key.remove_suffix(suffix_bytes);
    return static_cast<unsigned>(high << 4 | low);
}

} // namespace base
