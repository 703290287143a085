#include "tables/block_skipper.hh"

#include <algorithm>

namespace tables {
namespace {

// Looking further would cost more than the block.
constexpr size_t partitions_looked_at_max = 64;

key_range keys_of(const block_info& block) {
    return {{std::string(block.first_partition_key), std::string(block.first_row_key)},
            entity_key{std::string(block.last_partition_key), std::string(block.last_row_key)}.successor()};
}

// Keys with times apart are different keys.
bool has_only_times(const block_info& block) {
    return block.text_keys_count == 0;
}

bool may_share_keys(const segment_view& other, const key_range& keys, const block_info& block) {
    const auto near = other.locate(keys);
    for (size_t i = near.begin; i < near.end; ++i) {
        if (!has_only_times(block) || other.may_have_times(i, *block.oldest, *block.newest)) {
            return true;
        }
    }
    return false;
}

bool may_share_keys(const memtable& rows, const key_range& keys, const block_info& block) {
    size_t looked_at = 0;
    for (memtable::partition_cursor at(rows, keys.from.partition_key); !at.is_end() && at.key() <= block.last_partition_key;
         at.next()) {
        const bool is_apart =
            has_only_times(block) && at.newest() && (*at.newest() < *block.oldest || *at.oldest() > *block.newest);
        if (!is_apart || ++looked_at == partitions_looked_at_max) {
            return true;
        }
    }
    return false;
}

} // namespace

bool block_skipper::can_skip(const segment& s, size_t block) const {
    return !_predicate.can_match(s.view(), block) && is_alone(s, s.view().block(block));
}

bool block_skipper::is_alone(const segment& s, const block_info& block) const {
    const auto keys = keys_of(block);
    return std::ranges::none_of(_view.memtables, [&](const auto& m) { return may_share_keys(*m, keys, block); }) &&
           std::ranges::none_of(_view.segments, [&](const auto& other) {
               return other.get() != &s && may_share_keys(other->view(), keys, block);
           });
}

} // namespace tables
