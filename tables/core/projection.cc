#include "tables/core/projection.hh"

#include <algorithm>

namespace tables {
namespace {

// Entities that all differ in shape would make as many plans; it is cheaper to forget.
constexpr size_t plans_max = 1000;

} // namespace

projection::projection(std::vector<std::string> names) : _names(std::move(names)) {
    std::ranges::sort(_names);
}

const projection::plan& projection::plan_for(const shape& whole) {
    if (auto known = _plans.find(&whole); known != _plans.end()) {
        return known->second;
    }
    if (_plans.size() >= plans_max) {
        _plans.clear();
    }
    std::vector<column> columns;
    std::vector<size_t> picked;
    for (size_t i = 0; i < whole.size(); ++i) {
        if (std::ranges::binary_search(_names, whole[i].name)) {
            columns.push_back(whole[i]);
            picked.push_back(i);
        }
    }
    return _plans.emplace(&whole, plan{shape(std::move(columns)), std::move(picked)}).first->second;
}

row_view projection::apply(const row_view& whole) {
    const auto& p = plan_for(whole.of_shape());
    _properties.clear();
    for (const size_t i : p.picked) {
        _properties.push_back(whole[i]);
    }
    _packed.clear();
    pack_row(_properties, _packed);
    return row_view(p.shape, _packed);
}

} // namespace tables
