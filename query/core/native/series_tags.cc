#include "query/core/native/series_tags.hh"

#include <algorithm>

#include "base/spread.hh"
#include "tables/core/family/series.hh"

namespace query {

bool series_tags::enter(std::string_view partition_key, unsigned spread) {
    if (_is_entered && partition_key == _partition_key) {
        return false;
    }
    _partition_key = partition_key;
    _is_entered = true;
    _texts.reset();
    std::string_view series = _partition_key;
    if (spread > 1) {
        base::take_spread_suffix(series);
    }
    if (!tables::parse_series(series, _tags, _texts)) {
        _tags.clear();
    }
    return true;
}

const std::string_view* series_tags::find(std::string_view name) const {
    const auto found = std::ranges::find(_tags, name, &tables::tag::name);
    return found == _tags.end() ? nullptr : &found->value;
}

} // namespace query
