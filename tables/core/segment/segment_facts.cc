#include "tables/core/segment/segment_facts.hh"

#include "tables/core/segment/optional_tick.hh"

namespace tables {
namespace {

void put_tick(std::string& out, int64_t tick) {
    base::put_fixed(out, static_cast<uint64_t>(tick));
}

int64_t take_tick(base::byte_reader& in) {
    return static_cast<int64_t>(in.fixed<uint64_t>());
}

} // namespace

void slot_set::add(const slot_set& others) {
    for (size_t i = 0; i < _bits.size(); ++i) {
        _bits[i] |= others._bits[i];
    }
}

void slot_set::remove(const slot_set& others) {
    for (size_t i = 0; i < _bits.size(); ++i) {
        _bits[i] &= ~others._bits[i];
    }
}

void slot_set::encode(std::string& out) const {
    for (const uint64_t word : _bits) {
        base::put_fixed(out, word);
    }
}

slot_set slot_set::take(base::byte_reader& in) {
    slot_set set;
    for (auto& word : set._bits) {
        word = in.fixed<uint64_t>();
    }
    return set;
}

void segment_facts::encode(std::string& out) const {
    for (const uint64_t number : {table.value, rows_count, merges_count, removes_count, text_keys_count, partitions_count,
                                  sequence_min.value, sequence_max.value}) {
        base::put_varint(out, number);
    }
    put_tick(out, timestamp_min.value);
    put_tick(out, timestamp_max.value);
    put_tick(out, newest ? newest->value : no_tick);
    put_tick(out, oldest ? oldest->value : no_tick);
    slots.encode(out);
}

segment_facts segment_facts::take(base::byte_reader& in) {
    segment_facts facts;
    for (uint64_t* number :
         {&facts.table.value, &facts.rows_count, &facts.merges_count, &facts.removes_count, &facts.text_keys_count,
          &facts.partitions_count, &facts.sequence_min.value, &facts.sequence_max.value}) {
        *number = in.varint();
    }
    facts.timestamp_min = {take_tick(in)};
    facts.timestamp_max = {take_tick(in)};
    facts.newest = as_tick(take_tick(in));
    facts.oldest = as_tick(take_tick(in));
    facts.slots = slot_set::take(in);
    return facts;
}

} // namespace tables
