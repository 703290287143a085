// The properties of one entity, packed. A *shape* is the sorted list of names and types that many rows share; a row is then
// only its values: a fixed part whose offsets follow from the shape, and behind it the bytes of strings and binaries.
//
//   row    = fixed part, heap
//   fixed  = per property: boolean 1 byte, int32 4, int64 / real / datetime 8, guid 16,
//            string and binary 4: the end of its bytes in the heap (the start is the end of the one before)
//
// The same bytes are in the log, in the memtable and in messages between shards; nothing is repacked on the way.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tables/core/value.hh"

namespace tables {

// For a byte from outside, before it is made a value_type.
constexpr bool is_value_type(uint8_t byte) {
    return byte >= static_cast<uint8_t>(value_type::string) && byte <= static_cast<uint8_t>(value_type::binary);
}

// Bytes in the fixed part; 0 for what is not a type.
constexpr uint32_t fixed_width(value_type type) {
    switch (type) {
    case value_type::boolean: return 1;
    case value_type::int32:
    case value_type::string:
    case value_type::binary: return 4;
    case value_type::int64:
    case value_type::real:
    case value_type::datetime: return 8;
    case value_type::guid: return 16;
    }
    return 0;
}

constexpr bool is_in_heap(value_type type) {
    return type == value_type::string || type == value_type::binary;
}

struct column {
    std::string name;
    value_type type;

    bool operator==(const column&) const = default;
};

class shape {
public:
    shape() = default;
    // Needs: sorted by name (bytes), no name twice.
    explicit shape(std::vector<column> columns);

    size_t size() const { return _columns.size(); }
    const column& operator[](size_t i) const { return _columns[i]; }
    uint32_t offset(size_t i) const { return _offsets[i]; }
    uint32_t fixed_bytes() const { return _fixed_bytes; }
    // No strings and no binaries: every row has exactly fixed_bytes() bytes.
    bool is_fixed() const { return _is_fixed; }
    std::optional<size_t> find(std::string_view name) const;
    // True when rows of exactly these properties (sorted, no name twice) have this shape.
    bool fits(std::span<const property> sorted) const;
    // What the names, types and the tables beside them occupy on the heap; this object itself not included.
    size_t heap_bytes() const;
    // Equal to shape_hash() of properties it fits. For tables in memory: not for the disk.
    uint64_t hash() const { return _hash; }
    bool operator==(const shape&) const;

private:
    std::vector<column> _columns;
    std::vector<uint32_t> _offsets;
    std::vector<uint32_t> _heap_starts; // offset of the end where string or binary i begins; empty when _is_fixed
    uint64_t _hash = 0;
    uint32_t _fixed_bytes = 0;
    bool _is_fixed = true;
    bool _has_booleans = false;

    friend class row_view;
};

// A packed row beside its shape. Borrows both.
class row_view {
public:
    row_view() = default;
    row_view(const shape& s, std::string_view bytes) : _shape(&s), _bytes(bytes) {}

    // True when the bytes can be read with this shape; ask once for bytes from outside, before anything else.
    bool is_valid() const;
    size_t size() const { return _shape ? _shape->size() : 0; }
    property operator[](size_t i) const;
    std::optional<value> find(std::string_view name) const;
    const shape& of_shape() const { return *_shape; }
    std::string_view bytes() const { return _bytes; }

private:
    std::string_view heap_bytes_of(size_t i) const;

    const shape* _shape = nullptr;
    std::string_view _bytes;
};

// Packs properties that are sorted by name, no name twice; appends to `out`.
void pack_row(std::span<const property> sorted, std::string& out);
// The same in two steps, for a buffer that has room for packed_bytes().
size_t packed_bytes(std::span<const property> sorted);
void pack_row(std::span<const property> sorted, char* out);
shape shape_of(std::span<const property> sorted);
uint64_t shape_hash(std::span<const property> sorted);

// One whole entity, borrowed: what filters look at and encoders print.
struct entity_view {
    std::string_view partition_key; // as the client wrote it, UTF-8
    std::string_view row_key;
    base::tick timestamp;
    row_view properties;
};

} // namespace tables
