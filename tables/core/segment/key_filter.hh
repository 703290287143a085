// Which keys a block may have: a Bloom filter over its partition keys and over its (PartitionKey, RowKey) pairs where the row
// key is text. Rows with time keys are covered by their partition: a bit for each of them would cost more than it saves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tables {

class key_filter_builder {
public:
    void add_partition(std::string_view partition_key);
    void add_row(std::string_view partition_key, std::string_view row_key);
    void clear() { _hashes.clear(); }

    // Appends the filter; without keys, nothing.
    void encode(std::string& out) const;

private:
    std::vector<uint64_t> _hashes;
};

// Borrows the bytes; any bytes are a filter. False is sure: there is no such key.
class key_filter {
public:
    explicit key_filter(std::string_view bits) : _bits(bits) {}

    bool may_have_partition(std::string_view partition_key) const;
    // Any row key, of whichever kind.
    bool may_have_row(std::string_view partition_key, std::string_view row_key) const;

private:
    bool may_have(uint64_t hash) const;

    std::string_view _bits;
};

} // namespace tables
