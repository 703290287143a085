#include "query/core/key_cut.hh"

#include "query/core/text_order.hh"

namespace query {
namespace {

struct key_place {
    std::string_view partition_key;
    std::string_view row_key;
    key_cut::side at;
};

std::strong_ordering compare(const key_place& a, const key_place& b) {
    using enum key_cut::side;
    if (a.at == end || b.at == end) {
        return (a.at == end) <=> (b.at == end);
    }
    if (const int order = compare_text(a.partition_key, b.partition_key); order != 0) {
        return order <=> 0;
    }
    if (a.at == after_partition || b.at == after_partition) {
        return (a.at == after_partition) <=> (b.at == after_partition);
    }
    if (const int order = compare_text(a.row_key, b.row_key); order != 0) {
        return order <=> 0;
    }
    return a.at <=> b.at;
}

} // namespace

std::strong_ordering key_cut::operator<=>(const key_cut& other) const {
    return compare({_partition_key, _row_key, _at}, {other._partition_key, other._row_key, other._at});
}

bool key_cut::is_before(std::string_view partition_key, std::string_view row_key) const {
    return compare({_partition_key, _row_key, _at}, {partition_key, row_key, side::before_row}) <= 0;
}

bool key_range::contains(std::string_view partition_key, std::string_view row_key) const {
    return from.is_before(partition_key, row_key) && !to.is_before(partition_key, row_key);
}

bool key_range::is_point() const {
    return from.at() == key_cut::side::before_row && to == key_cut::after_row(from.partition_key(), from.row_key());
}

bool key_range::is_in_one_partition() const {
    return to.at() != key_cut::side::end && from.partition_key() == to.partition_key();
}

} // namespace query
