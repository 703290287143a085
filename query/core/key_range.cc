#include "query/core/key_range.hh"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <span>

#include "query/core/key_box.hh"

namespace query {
namespace {

// Goes through a filter from operands to operators, with a list of boxes for each operand.
class box_extractor {
public:
    explicit box_extractor(const filter& f) : _filter(f), _algebra(f) {}

    // All the boxes of the filter, which must not be empty.
    std::vector<box> run() &&;

private:
    void add_condition(uint16_t node);
    void add_disjunction(size_t operands_count);
    void add_conjunction(size_t operands_count);
    void replace_last(size_t lists_count, const std::vector<box>& with);
    std::vector<box> intersection(std::vector<box>, std::span<const box>);

    const filter& _filter;
    box_algebra _algebra;
    std::vector<box> _boxes;         // of the operands that wait for their operator, one list behind the other
    std::vector<size_t> _list_sizes; // how long each of these lists is
    size_t _steps_left = key_range_steps_max;
};

std::vector<box> box_extractor::run() && {
    const auto nodes = _filter.postfix();
    for (size_t i = 0; i < nodes.size(); ++i) {
        switch (nodes[i].kind) {
        case node_kind::negation: replace_last(1, {box{}}); break;
        case node_kind::conjunction: add_conjunction(nodes[i].operands_count); break;
        case node_kind::disjunction: add_disjunction(nodes[i].operands_count); break;
        default: add_condition(static_cast<uint16_t>(i)); break;
        }
    }
    assert(_list_sizes.size() == 1);
    return std::move(_boxes);
}

void box_extractor::add_condition(uint16_t i) {
    const auto& n = _filter.postfix()[i];
    if (n.kind == node_kind::constant && n.literal == 0) {
        _list_sizes.push_back(0);
        return;
    }
    box b;
    if (n.kind == node_kind::compare && _filter.literal_of(n).type() == tables::value_type::string) {
        const auto& about = _filter.subject_of(n);
        if (about == subject{.name = "PartitionKey"}) {
            b.partition = interval_of(n.op, i);
        } else if (about == subject{.name = "RowKey"}) {
            b.row = interval_of(n.op, i);
        }
    }
    _boxes.push_back(b);
    _list_sizes.push_back(1);
}

void box_extractor::add_disjunction(size_t operands_count) {
    const auto sizes = std::span(_list_sizes).last(operands_count);
    const size_t boxes_count = std::reduce(sizes.begin(), sizes.end());
    const auto all = std::span(_boxes).last(boxes_count);
    if (boxes_count > key_ranges_max) {
        replace_last(operands_count, {_algebra.hull(all)});
    } else {
        replace_last(operands_count, {all.begin(), all.end()});
    }
}

void box_extractor::add_conjunction(size_t operands_count) {
    const auto sizes = std::span(_list_sizes).last(operands_count);
    auto operands = std::span(_boxes).last(std::reduce(sizes.begin(), sizes.end()));
    std::vector<box> common{box{}};
    for (const size_t size : sizes) {
        common = intersection(std::move(common), operands.first(size));
        operands = operands.subspan(size);
    }
    replace_last(operands_count, common);
}

std::vector<box> box_extractor::intersection(std::vector<box> left, std::span<const box> right) {
    box around;
    if (left.size() * right.size() > _steps_left) {
        around = _algebra.hull(right);
        right = std::span(&around, 1);
    }
    if (left.size() * right.size() > _steps_left || (right.size() == 1 && right.front().is_everything())) {
        return left;
    }
    _steps_left -= left.size() * right.size();
    std::vector<box> common;
    for (const auto& a : left) {
        for (const auto& b : right) {
            const auto both = _algebra.intersection(a, b);
            if (_algebra.is_empty(both)) {
                continue;
            }
            if (common.size() == key_ranges_max) {
                return {_algebra.intersection(_algebra.hull(left), _algebra.hull(right))};
            }
            common.push_back(both);
        }
    }
    return common;
}

void box_extractor::replace_last(size_t lists_count, const std::vector<box>& with) {
    assert(lists_count <= _list_sizes.size());
    const auto sizes = std::span(_list_sizes).last(lists_count);
    _boxes.resize(_boxes.size() - std::reduce(sizes.begin(), sizes.end()));
    _boxes.insert(_boxes.end(), with.begin(), with.end());
    _list_sizes.resize(_list_sizes.size() - lists_count);
    _list_sizes.push_back(with.size());
}

// Sorted, and those that overlap or touch made one.
std::vector<key_range> merged(std::vector<key_range> ranges) {
    std::ranges::sort(ranges, {}, &key_range::from);
    std::vector<key_range> out;
    for (auto& range : ranges) {
        if (!out.empty() && range.from <= out.back().to) {
            out.back().to = std::max(out.back().to, range.to);
        } else {
            out.push_back(std::move(range));
        }
    }
    return out;
}

} // namespace

std::vector<key_range> key_ranges_of(const filter& f) {
    if (f.is_empty()) {
        return {key_range{}};
    }
    const box_algebra algebra(f);
    std::vector<key_range> ranges;
    for (const auto& b : box_extractor(f).run()) {
        if (auto range = algebra.range_of(b); !range.is_empty()) {
            ranges.push_back(std::move(range));
        }
    }
    return merged(std::move(ranges));
}

std::vector<key_range> intersect(const std::vector<key_range>& ranges, const key_range& within) {
    std::vector<key_range> out;
    for (const auto& range : ranges) {
        key_range both{std::max(range.from, within.from), std::min(range.to, within.to)};
        if (!both.is_empty()) {
            out.push_back(std::move(both));
        }
    }
    return out;
}

} // namespace query
