// Each shape once, at an address that does not change.
#pragma once

#include <cstddef>
#include <span>

#include "tables/core/hash_index.hh"
#include "tables/core/row.hh"

namespace tables {

// A shape that a shape_set holds; lives as long as the set.
class interned_shape {
public:
    const shape& operator*() const { return *_shape; }
    const shape* get() const { return _shape; }

private:
    friend class shape_set;
    explicit interned_shape(const shape& s) : _shape(&s) {}

    const shape* _shape;
};

class shape_set {
public:
    shape_set() = default;
    shape_set(const shape_set&) = delete;
    shape_set& operator=(const shape_set&) = delete;
    ~shape_set();

    interned_shape intern(const shape&, arena&);
    // The shape of these properties, which are sorted by name.
    interned_shape intern(std::span<const property> sorted, arena&);

    size_t size() const { return _index.size(); }
    // Beside what is in the arena.
    size_t heap_bytes() const { return _shapes_bytes + _index.heap_bytes(); }
    // Frees a few shapes; nothing may be interned after the first step. True while there are more.
    bool clear_step();

private:
    struct node {
        uint64_t hash;
        node* next_in_bucket;
        node* made_before;
        shape columns;
    };

    template <class IsIt, class Make>
    interned_shape find_or_make(uint64_t hash, arena&, const IsIt&, const Make&);

    hash_index<node> _index;
    node* _newest = nullptr;
    size_t _shapes_bytes = 0;
};

} // namespace tables
