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
    std::optional<size_t> find(std::string_view name) const;
    bool operator==(const shape& other) const { return _columns == other._columns; }

private:
    std::vector<column> _columns;
    std::vector<uint32_t> _offsets;
    uint32_t _fixed_bytes = 0;
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
    const shape* _shape = nullptr;
    std::string_view _bytes;
};

// Packs properties that are sorted by name, no name twice; appends to `out`.
void pack_row(std::span<const property> sorted, std::string& out);
shape shape_of(std::span<const property> sorted);

// One whole entity, borrowed: what filters look at and encoders print.
struct entity_view {
    std::string_view partition_key; // as the client wrote it, UTF-8
    std::string_view row_key;
    base::tick timestamp;
    row_view properties;
};

} // namespace tables
