// Places between keys, and ranges from one such place to another. Keys are as clients write them, UTF-8; they are ordered by
// PartitionKey, then RowKey, both as text_order.hh says.
//
// A place is never *at* a key, so that there is no inclusive and exclusive to mind: `PartitionKey gt 'a'` begins behind the
// partition 'a', `RowKey le 'b'` of partition 'a' ends behind the row ('a', 'b').
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace query {

class key_cut {
public:
    static key_cut start() { return before_row({}, {}); } // no key is less than two empty texts
    static key_cut before_partition(std::string_view partition_key) { return before_row(partition_key, {}); }
    static key_cut before_row(std::string_view partition_key, std::string_view row_key) {
        return {partition_key, row_key, side::before_row};
    }
    static key_cut after_row(std::string_view partition_key, std::string_view row_key) {
        return {partition_key, row_key, side::after_row};
    }
    static key_cut after_partition(std::string_view partition_key) { return {partition_key, {}, side::after_partition}; }
    static key_cut end() { return {{}, {}, side::end}; }

    enum class side : uint8_t {
        before_row,
        after_row,
        after_partition, // row_key() is empty
        end,             // behind every key; both are empty
    };
    side at() const { return _at; }
    std::string_view partition_key() const { return _partition_key; }
    std::string_view row_key() const { return _row_key; }

    std::strong_ordering operator<=>(const key_cut&) const;
    bool operator==(const key_cut&) const = default;
    bool is_before(std::string_view partition_key, std::string_view row_key) const;

private:
    key_cut(std::string_view partition_key, std::string_view row_key, side at)
        : _partition_key(partition_key), _row_key(row_key), _at(at) {}

    std::string _partition_key;
    std::string _row_key;
    side _at;
};

// The keys between two cuts; none when `from` is not less than `to`.
struct key_range {
    key_cut from = key_cut::start();
    key_cut to = key_cut::end();

    bool is_empty() const { return from >= to; }
    bool contains(std::string_view partition_key, std::string_view row_key) const;
    // Exactly one key can be in it.
    bool is_point() const;
    // All keys in it have the PartitionKey of `from`. Needs a range that is not empty.
    bool is_in_one_partition() const;
    bool operator==(const key_range&) const = default;
};

} // namespace query
