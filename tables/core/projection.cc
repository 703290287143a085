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

// Of two shapes with one hash the later one takes the place.
const projection::plan& projection::plan_for(const shape& whole) {
    if (auto known = _plans.find(whole.hash()); known != _plans.end() && known->second.whole == whole) {
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
    return _plans.insert_or_assign(whole.hash(), plan{whole, shape(std::move(columns)), std::move(picked)}).first->second;
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
