// Messages and fields of a block's records. What is also part of a record's text is kept as a place in it, counted from where
// the part before it ends: that is nearly always the same, and costs nothing then.
//
//   parts     = numbers: for each message 0 when it is kept apart, else 1 + its begin in the text; numbers: its size when kept
//               apart, else how much of the text is behind it; shapes count varint, *shape; numbers: the shape of each record's
//               fields; *values, shape by shape, field by field
//   shape     = fields count varint, *(name bytes, type u8)                          (stream side)
//   values    = of strings: numbers, 0 when kept apart, else 1 + zigzag(begin - end of the part before); numbers of the sizes
//             = of binaries: numbers of the sizes
//             = of guids: sixteen bytes each (stream stored)
//             = of all others: numbers, their bits
//
// What is kept apart lies in the stream side, in the order of its column. Types are those of base::value_type.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "blobs/core/number_column.hh"
#include "blobs/core/record.hh"
#include "blobs/core/text_template.hh"

namespace blobs {

// Whether `part` lies inside `text`, in memory.
inline bool is_part_of(std::string_view part, std::string_view text) {
    return std::greater_equal<>{}(part.data(), text.data()) &&
           std::less_equal<>{}(part.data() + part.size(), text.data() + text.size());
}

class part_columns_writer {
public:
    void add(const record&);
    void encode(number_writer&, block_streams& out) const;
    void clear();

private:
    struct field_column {
        std::vector<uint64_t> numbers; // places, or bits
        std::vector<uint64_t> sizes;
        std::string apart;
        std::string stored;
    };
    struct shape {
        size_t records_count = 0;
        std::vector<field_column> columns;
        std::vector<base::value_type> types;
    };
    shape& shape_of(const record&);
    void add_text(std::string_view value, std::string_view text, size_t& end, field_column&);

    std::vector<uint64_t> _begins;
    std::vector<uint64_t> _rests;
    std::string _messages_apart;
    std::vector<uint64_t> _shape_of; // each record
    std::vector<shape> _shapes;
    std::vector<std::string> _shape_texts; // as in the stream
    std::unordered_map<std::string, size_t> _shape_places;
    std::string _scratch;
};

// Borrows the streams' bytes; reused from block to block.
class part_columns {
public:
    // A failure is that of a stream, also when there would be more values than a block's bytes can have.
    void take(size_t count, stream_readers&);

    bool has_message_in_text(size_t i) const { return _begins[i] != 0; }
    // Where it is, when it is: what is before it and what is behind it.
    std::pair<uint64_t, uint64_t> message_place(size_t i) const { return {_begins[i] - 1, _rests[i]}; }
    // The message and the fields of record i, whose text is given. They borrow from it and from the block; `fields` is replaced.
    // False when a place lies outside the text, which is damage.
    [[nodiscard]] bool read(size_t i, std::string_view text, std::string_view& message,
                            std::vector<base::property>& fields) const;

private:
    struct field_column {
        std::string_view name;
        base::value_type type = base::value_type::string;
        size_t begin = 0;       // in _numbers; then, of strings, the sizes
        size_t apart_begin = 0; // in _places: where those kept apart, and binaries, are
        const char* stored = nullptr;
    };
    struct shape {
        std::vector<field_column> columns;
        size_t records_count = 0;
    };
    void take_messages(size_t count, stream_readers&);
    void take_shapes(stream_readers&);
    void take_values(field_column&, size_t count, stream_readers&);
    bool read_value(const field_column&, const shape&, size_t rank, std::string_view text, size_t& end, base::value& out) const;

    std::vector<uint64_t> _begins;
    std::vector<uint64_t> _rests;
    std::vector<std::string_view> _messages_apart; // one for each record, empty where it is part of the text
    std::vector<uint64_t> _shape_of;
    std::vector<uint32_t> _ranks; // of a record among those of its shape
    std::vector<shape> _shapes;
    std::vector<uint64_t> _numbers;
    std::vector<std::string_view> _apart; // one for each value of strings and binaries
};

} // namespace blobs
