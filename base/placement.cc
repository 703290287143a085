#include "base/placement.hh"

#include "base/checksum.hh"
#include "base/spread.hh"

namespace base {
namespace {

// 0, 128, 64, 192, 32, ...: however many buckets there are, they divide the circle of slots about evenly.
constexpr uint8_t reversed_bits(unsigned bucket) {
    unsigned out = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
        out |= (bucket >> bit & 1) << (7 - bit);
    }
    return static_cast<uint8_t>(out);
}

} // namespace

uint8_t placement::slot_of(std::string_view collated) const {
    unsigned distance = 0;
    if (_rule == rule::spread_apart) {
        if (const auto bucket = take_spread_suffix(collated)) {
            distance = reversed_bits(*bucket);
        }
    }
    return static_cast<uint8_t>((stable_hash(collated) >> 56) + distance);
}

} // namespace base
