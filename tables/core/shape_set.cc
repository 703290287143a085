#include "tables/core/shape_set.hh"

namespace tables {
namespace {

constexpr size_t shapes_per_step = 64;

} // namespace

shape_set::~shape_set() {
    while (clear_step()) {
    }
}

template <class IsIt, class Make>
interned_shape shape_set::find_or_make(uint64_t hash, arena& memory, const IsIt& is_it, const Make& make) {
    if (const node* known = _index.find(hash, [&](const node& n) { return is_it(n.columns); })) {
        return interned_shape(known->columns);
    }
    auto* const made = new node{hash, nullptr, _newest, make()};
    _newest = made;
    _shapes_bytes += sizeof(node) + made->columns.heap_bytes();
    _index.insert(*made, memory);
    return interned_shape(made->columns);
}

interned_shape shape_set::intern(const shape& wanted, arena& memory) {
    return find_or_make(wanted.hash(), memory, [&](const shape& s) { return s == wanted; }, [&] { return wanted; });
}

interned_shape shape_set::intern(std::span<const property> sorted, arena& memory) {
    return find_or_make(
        shape_hash(sorted), memory, [&](const shape& s) { return s.fits(sorted); }, [&] { return shape_of(sorted); });
}

bool shape_set::clear_step() {
    for (size_t i = 0; i < shapes_per_step && _newest != nullptr; ++i) {
        node* const gone = _newest;
        _newest = gone->made_before;
        _shapes_bytes -= sizeof(node) + gone->columns.heap_bytes();
        delete gone;
    }
    return _newest != nullptr;
}

} // namespace tables
