#include "tables/core/resolve.hh"

#include <algorithm>
#include <cassert>

#include "tables/core/limits.hh"

namespace tables {
namespace {

// How many versions count: all up to the first that is not a merge.
size_t deciding(std::span<const row_version> chain) {
    const auto base = std::ranges::find_if(chain, [](const row_version& v) { return v.kind != row_kind::merge; });
    return std::min(chain.size(), static_cast<size_t>(base - chain.begin()) + 1);
}

// Could the limits be passed? Says yes too often, but costs next to nothing, and nearly all rows are small.
bool may_overflow(entity_key_view key, std::span<const row_version> chain) {
    size_t properties = 0;
    size_t bytes = 0;
    for (const auto& v : chain) {
        properties += v.row.size();
        bytes += entity_bytes_bound(key.partition_key.size() + key.row_key.size(), v.row);
    }
    return properties > properties_max || bytes > entity_bytes_max;
}

size_t key_units(entity_key_view key) {
    std::string scratch;
    const size_t units = utf16_length(uncollate(key.partition_key, scratch));
    return units + utf16_length(uncollate(key.row_key, scratch));
}

} // namespace

bool row_resolver::room::admit(const property* replaced, const property& added, size_t count) {
    if (!is_tight) {
        return true;
    }
    const size_t bytes = entity_bytes + property_bytes(added) - (replaced != nullptr ? property_bytes(*replaced) : 0);
    if (bytes > entity_bytes_max || (replaced == nullptr && count >= properties_max)) {
        return false;
    }
    entity_bytes = bytes;
    return true;
}

// Both are sorted by name. What is below and not yet taken counts towards the number of properties as well.
void row_resolver::lay_over(const row_view& newer, room& left) {
    std::swap(_properties, _before);
    _properties.clear();
    auto below = _before.cbegin();
    for (size_t i = 0; i < newer.size(); ++i) {
        const property added = newer[i];
        while (below != _before.cend() && below->name < added.name) {
            _properties.push_back(*below++);
        }
        const bool replaces = below != _before.cend() && below->name == added.name;
        const property* const replaced = replaces ? &*below : nullptr;
        const size_t count = _properties.size() + static_cast<size_t>(_before.cend() - below);
        if (left.admit(replaced, added, count)) {
            _properties.push_back(added);
        } else {
            ++_dropped_count;
            if (replaces) {
                _properties.push_back(*replaced);
            }
        }
        below += replaces ? 1 : 0;
    }
    _properties.insert(_properties.end(), below, _before.cend());
}

folded_row row_resolver::fold(entity_key_view key, std::span<const row_version> chain) {
    assert(!chain.empty());
    chain = chain.first(deciding(chain));
    const row_kind oldest = chain.back().kind;
    const base::tick timestamp = chain.front().timestamp;
    _properties.clear();
    if (chain.size() == 1 && oldest == row_kind::remove) {
        return {oldest, timestamp, {}};
    }
    for (size_t i = 0; i < chain.back().row.size(); ++i) {
        _properties.push_back(chain.back().row[i]);
    }
    room left{may_overflow(key, chain), 0};
    if (left.is_tight) {
        left.entity_bytes = entity_bytes(key_units(key), _properties);
    }
    for (size_t i = chain.size() - 1; i-- > 0;) {
        lay_over(chain[i].row, left);
    }
    return {oldest == row_kind::merge ? row_kind::merge : row_kind::put, timestamp, _properties};
}

resolved_row row_resolver::resolve(entity_key_view key, std::span<const row_version> chain) {
    assert(!chain.empty());
    if (deciding(chain) == 1) {
        return {chain.front().kind, chain.front().timestamp, chain.front().row};
    }
    const auto folded = fold(key, chain);
    if (!_shape.fits(folded.properties)) {
        _shape = shape_of(folded.properties);
    }
    _packed.clear();
    pack_row(folded.properties, _packed);
    return {folded.kind, folded.timestamp, row_view(_shape, _packed)};
}

size_t row_resolver::heap_bytes() const {
    return (_properties.capacity() + _before.capacity()) * sizeof(property) + _shape.heap_bytes() + _packed.capacity();
}

} // namespace tables
