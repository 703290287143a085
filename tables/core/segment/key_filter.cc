#include "tables/core/segment/key_filter.hh"

#include <bit>

#include "base/checksum.hh"
#include "tables/core/key.hh"
#include "tables/core/segment/segment_layout.hh"

namespace tables {
namespace {

// The values are on disk, in the bits they set.
uint64_t partition_hash(std::string_view partition_key) {
    return base::stable_hash(partition_key);
}

uint64_t row_hash(std::string_view partition_key, std::string_view row_key) {
    return base::checksum64(row_key, partition_hash(partition_key));
}

// One bit for each probe, by double hashing.
template <class Visit>
void each_bit(uint64_t hash, size_t bits_count, const Visit& visit) {
    const uint64_t step = std::rotr(hash, 17) | 1;
    for (unsigned probe = 0; probe < segment_layout::filter_probes; ++probe) {
        visit(static_cast<size_t>(hash % bits_count));
        hash += step;
    }
}

} // namespace

void key_filter_builder::add_partition(std::string_view partition_key) {
    _hashes.push_back(partition_hash(partition_key));
}

void key_filter_builder::add_row(std::string_view partition_key, std::string_view row_key) {
    _hashes.push_back(row_hash(partition_key, row_key));
}

void key_filter_builder::encode(std::string& out) const {
    const size_t bytes_count = (_hashes.size() * segment_layout::filter_bits_per_key + 7) / 8;
    const size_t before = out.size();
    out.resize(before + bytes_count);
    for (const uint64_t hash : _hashes) {
        each_bit(hash, bytes_count * 8, [&](size_t bit) {
            auto& byte = out[before + bit / 8];
            byte = static_cast<char>(static_cast<uint8_t>(byte) | 1u << (bit % 8));
        });
    }
}

bool key_filter::may_have(uint64_t hash) const {
    if (_bits.empty()) {
        return true;
    }
    bool has_all = true;
    each_bit(hash, _bits.size() * 8,
             [&](size_t bit) { has_all &= (static_cast<uint8_t>(_bits[bit / 8]) >> (bit % 8) & 1) != 0; });
    return has_all;
}

bool key_filter::may_have_partition(std::string_view partition_key) const {
    return may_have(partition_hash(partition_key));
}

bool key_filter::may_have_row(std::string_view partition_key, std::string_view row_key) const {
    const bool is_time_key = split_row_key(row_key).tick.has_value();
    return may_have_partition(partition_key) && (is_time_key || may_have(row_hash(partition_key, row_key)));
}

} // namespace tables
