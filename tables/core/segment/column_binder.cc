#include "tables/core/segment/column_binder.hh"

#include <algorithm>

namespace tables {

std::span<const column_id> column_binder::bind(const shape& s) {
    auto at = std::ranges::find(_bindings, s, &binding::shape);
    if (at == _bindings.end()) {
        binding made{s, {}};
        for (size_t i = 0; i < s.size(); ++i) {
            made.ids.push_back(_schema->find_or_add(s[i]));
        }
        if (_bindings.size() == bindings_max) {
            _bindings.pop_back();
        }
        _bindings.push_back(std::move(made));
        at = _bindings.end() - 1;
    }
    std::rotate(_bindings.begin(), at, at + 1);
    return _bindings.front().ids;
}

} // namespace tables
