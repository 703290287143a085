// Writes, or rows read, of one table, in the order they were added. The same bytes are the payload of a log record, the message
// to the shard that owns the rows and the page of a scan; nothing is repacked between them. FORMAT.md has a worked example.
//
//   batch     = version u8 = 1, table u64, timestamp u64, rows count u32, *item      (integers little-endian)
//   item      = shape / row
//   shape     = 00, size varint, count varint, *(name bytes, type u8)       each shape once, before the first row that has it
//   row       = flags u8, [partition key bytes], row key bytes, [timestamp u64], [shape varint], [packed row bytes]
//   bytes     = size varint, so many bytes
//   flags     = bits 0-1 kind (never 0, so that no row looks like a shape); 04 partition key as in the row before;
//               08 has a timestamp of its own; 10 shape as in the row before that had one; the others 0
//
// Keys are collated. A remove has neither shape nor packed row. `timestamp` in the head is the commit time, 0 while it is not
// known: the shard that owns the rows sets it in place.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.hh"
#include "base/ids.hh"
#include "tables/core/row_version.hh"

namespace tables {

// Needs a batch that a builder made or a reader opened.
void set_timestamp(std::span<char> batch, base::tick);

class row_batch_builder {
public:
    explicit row_batch_builder(base::table_id);

    // Needs: keys within key_bytes_max, properties sorted by name, no name twice, at most properties_max of them; kind is put or
    // merge. Cheapest where the partition key or the names and types are those of the row before.
    void add(row_kind, std::string_view partition_key, std::string_view row_key, std::span<const property> sorted);
    // A row that is packed already; with a timestamp of its own where a scan page needs it. Of a remove, `row` is not looked at.
    void add_row(row_kind, std::string_view partition_key, std::string_view row_key, const row_view& row,
                 std::optional<base::tick> timestamp = {});
    void add_put(std::string_view partition_key, std::string_view row_key, std::span<const property> sorted) {
        add(row_kind::put, partition_key, row_key, sorted);
    }
    void add_remove(std::string_view partition_key, std::string_view row_key) {
        add_row(row_kind::remove, partition_key, row_key, row_view());
    }

    bool empty() const { return _rows_count == 0; }
    uint32_t rows_count() const { return _rows_count; }
    // The batch so far, complete after every add.
    std::string_view bytes() const { return _bytes; }
    // Hands the batch over; the builder is then empty and goes on with the same table.
    std::string take();
    // Forgets the rows and keeps the memory.
    void clear();

private:
    static constexpr uint32_t no_shape = UINT32_MAX;

    // A row but for the bytes of its properties.
    struct head {
        row_kind kind;
        std::string_view partition_key;
        std::string_view row_key;
        std::optional<base::tick> timestamp;
        uint32_t shape_index = no_shape;
        size_t packed_size = 0;
    };

    std::optional<uint32_t> find_shape(uint64_t hash, const auto& is_it) const;
    uint32_t define_shape(shape);
    uint32_t shape_for(std::span<const property>);
    uint32_t shape_for(const shape&);
    void append(const head&, const auto& pack);
    char* put_head(char* batch, char* to, const head&);

    base::table_id _table;
    std::string _bytes;
    uint32_t _rows_count = 0;
    size_t _key_at = 0; // the partition key of the last row, inside _bytes
    size_t _key_size = 0;
    std::vector<shape> _shapes;
    std::unordered_multimap<uint64_t, uint32_t> _shapes_by_hash;
    uint32_t _last_shape = no_shape; // of the last row that had one
};

// One row of an open batch; borrows the batch and its reader.
struct batch_row {
    row_kind kind = row_kind::remove;
    bool has_own_timestamp = false;
    uint32_t shape_index = 0; // into shapes(); not for a remove
    std::string_view partition_key;
    std::string_view row_key;
    base::tick timestamp; // its own, or else that of the batch
    row_view row;         // of a remove: none
};

// Checks everything once, when it is opened; after that going through the rows cannot fail and allocates nothing. Borrows the
// bytes. May be moved, also while rows of it are in use.
class row_batch_reader {
public:
    class iterator;

    // corrupt, or newer_format.
    static base::expected<row_batch_reader> open(std::string_view bytes);
    // Of what a builder in this process has made: no need to look into every value.
    static row_batch_reader open_built(std::string_view bytes);

    base::table_id table() const;
    base::tick timestamp() const;
    uint32_t rows_count() const { return _rows_count; }
    std::span<const shape> shapes() const { return _shapes; }
    std::string_view bytes() const { return _bytes; }

    iterator begin() const;
    std::default_sentinel_t end() const { return {}; }

private:
    explicit row_batch_reader(std::string_view bytes) : _bytes(bytes) {}
    template <class Check>
    bool read_items(Check is_sound);

    std::string_view _bytes;
    uint32_t _rows_count = 0;
    std::vector<shape> _shapes;
};

class row_batch_reader::iterator {
public:
    using value_type = batch_row;
    using difference_type = std::ptrdiff_t;

    explicit iterator(const row_batch_reader&);

    const batch_row& operator*() const { return _row; }
    const batch_row* operator->() const { return &_row; }
    iterator& operator++();
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return _is_end; }

private:
    std::span<const shape> _shapes;
    std::string_view _rest;
    base::tick _timestamp;
    batch_row _row;
    bool _is_end = false;
};

} // namespace tables
