// Nodes in key order: a B+tree that only grows. Made for rows whose keys are inverted ticks: each new one sorts before all the
// others of its partition, so a leaf holds its slots in *descending* order (a new first row is appended) and a full first leaf
// gets a new one before it instead of being halved. Any other order of inserts is as good as in an ordinary tree.
//
// Leaves begin small, since most partitions of a wide table have a row or two. Nodes and the tree itself are the arena's.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "tables/core/arena.hh"
#include "tables/core/key_code.hh"
#include "tables/core/prefetch.hh"

namespace tables {

// Node has `std::string_view key() const`, which never changes.
template <class Node>
class ordered_index {
    struct slot {
        uint64_t code;
        Node* node;
    };
    struct leaf {
        leaf* next; // the leaf of the next greater keys
        uint32_t count;
        uint32_t capacity;

        slot* slots() { return reinterpret_cast<slot*>(this + 1); }
        const slot* slots() const { return reinterpret_cast<const slot*>(this + 1); }
        const slot& least() const { return slots()[count - 1]; }
    };

public:
    // Where a walk in ascending order stands. Valid as long as the tree; inserts do not disturb it.
    class position {
    public:
        position() = default;
        // Null behind the last one.
        Node* node() const { return _slot.node; }

    private:
        friend ordered_index;

        slot _slot{};
        const leaf* _leaf = nullptr;
        uint32_t _index = 0;
        uint32_t _changes = 0; // of the tree, when _leaf and _index were true
    };

    Node* find(const coded_key& key) const {
        const position at = lower_bound(key);
        return at.node() != nullptr && is_key(at._slot, key) ? at.node() : nullptr;
    }

    // The first one whose key is not before this one.
    position lower_bound(const coded_key& key) const {
        const leaf* const l = _root == nullptr ? nullptr : leaf_for(key);
        return l == nullptr ? position() : position_at(l, not_before(*l, key));
    }

    // The one after it; a node inserted between the two steps counts like any other.
    position next(const position& at) const {
        if (at._changes != _changes) [[unlikely]] {
            const coded_key key(at.node()->key());
            const leaf* const l = leaf_for(key);
            return position_at(l, not_before(*l, key) - 1);
        }
        prefetch(*at._leaf, at._index);
        return position_at(at._leaf, at._index);
    }

    // Where a new first node would go.
    void prefetch_first() const { __builtin_prefetch(_first); }
    // Where the way to any other begins; and once that is there, all of its leaf: half of it will be moved.
    void prefetch_root() const { prefetch_bytes(_root, root_bytes_usual); }
    void prefetch_leaf(const coded_key& key) const {
        if (_root != nullptr) {
            prefetch_bytes(leaf_for(key), sizeof(leaf) + leaf_slots_max * sizeof(slot));
        }
    }

    // The node with this key, or else the one that make() returns, which must have it.
    template <class Make>
    Node& find_or_insert(const coded_key& key, arena& memory, const Make& make) {
        if (_first != nullptr && _first->count < _first->capacity && !is_not_after(_first->least(), key)) {
            Node& made = make();
            _first->slots()[_first->count++] = {key.code, &made};
            ++_changes;
            return made;
        }
        return find_or_insert_anywhere(key, memory, make);
    }

private:
    static constexpr uint32_t leaf_slots_min = 4;
    static constexpr uint32_t leaf_slots_growth = 4;
    static constexpr uint32_t leaf_slots_max = 64;
    static constexpr uint32_t inner_branches_max = 64;
    static constexpr uint32_t prefetch_distance = 4;
    static constexpr size_t root_bytes_usual = 3 * cache_line_bytes;
    static constexpr size_t height_max = 12; // at least half of 64 each: more than any memory holds

    // A child and the least key under it. That of a node's first branch is never looked at: everything less goes there.
    struct branch {
        slot least;
        void* child;
    };
    struct inner {
        uint32_t count;
        std::array<branch, inner_branches_max> branches;
    };
    struct step {
        inner* at;
        uint32_t branch;
    };
    struct path {
        std::array<step, height_max> steps;
        leaf* end;
    };
    // What has become of a node that was full.
    struct halves {
        void* left;
        branch right;
    };

    static bool is_not_before(const slot& s, const coded_key& key) {
        return s.code != key.code ? s.code > key.code : s.node->key() >= key.bytes;
    }
    static bool is_not_after(const slot& s, const coded_key& key) {
        return s.code != key.code ? s.code < key.code : s.node->key() <= key.bytes;
    }
    static bool is_key(const slot& s, const coded_key& key) { return s.code == key.code && s.node->key() == key.bytes; }

    // How many slots of the leaf are not before the key: the index of the last of them, plus one.
    static uint32_t not_before(const leaf& l, const coded_key& key) {
        const auto* const slots = l.slots();
        return static_cast<uint32_t>(
            std::partition_point(slots, slots + l.count, [&](const slot& s) { return is_not_before(s, key); }) - slots);
    }

    static uint32_t branch_for(const inner& n, const coded_key& key) {
        const auto* const second = n.branches.data() + 1;
        const auto* const end = n.branches.data() + n.count;
        return static_cast<uint32_t>(
            std::partition_point(second, end, [&](const branch& b) { return is_not_after(b.least, key); }) - second);
    }

    leaf* leaf_for(const coded_key& key) const {
        void* at = _root;
        for (uint32_t level = 0; level < _height; ++level) {
            auto* const n = static_cast<inner*>(at);
            at = n->branches[branch_for(*n, key)].child;
        }
        return static_cast<leaf*>(at);
    }

    path path_to(const coded_key& key) const {
        path p;
        void* at = _root;
        for (uint32_t level = 0; level < _height; ++level) {
            auto* const n = static_cast<inner*>(at);
            p.steps[level] = {n, branch_for(*n, key)};
            at = n->branches[p.steps[level].branch].child;
        }
        p.end = static_cast<leaf*>(at);
        return p;
    }

    // Neighbours in key order are far apart in memory: a walk that is told a few nodes ahead takes a third of the time.
    static void prefetch(const leaf& l, uint32_t index) {
        if (index > prefetch_distance) {
            prefetch_bytes(l.slots()[index - 1 - prefetch_distance].node, 2 * cache_line_bytes);
        }
    }

    // The least of the first `count` slots of a leaf, which is the last of them; of none: that of the next leaf.
    position position_at(const leaf* l, uint32_t count) const {
        if (count == 0) {
            l = l->next;
            if (l == nullptr) {
                return {};
            }
            count = l->count;
        }
        position at;
        at._slot = l->slots()[count - 1];
        at._leaf = l;
        at._index = count - 1;
        at._changes = _changes;
        return at;
    }

    static leaf* make_leaf(arena& memory, uint32_t capacity) {
        return new (memory.allocate(sizeof(leaf) + capacity * sizeof(slot))) leaf{nullptr, 0, capacity};
    }

    static void insert_slot(leaf& l, uint32_t index, const slot& s) {
        std::copy_backward(l.slots() + index, l.slots() + l.count, l.slots() + l.count + 1);
        l.slots()[index] = s;
        ++l.count;
    }

    static void insert_branch(inner& n, uint32_t index, const branch& b) {
        std::copy_backward(n.branches.data() + index, n.branches.data() + n.count, n.branches.data() + n.count + 1);
        n.branches[index] = b;
        ++n.count;
    }

    template <class Make>
    [[gnu::noinline]] Node& find_or_insert_anywhere(const coded_key& key, arena& memory, const Make& make) {
        if (_root == nullptr) {
            Node& made = make();
            leaf* const only = make_leaf(memory, leaf_slots_min);
            insert_slot(*only, 0, {key.code, &made});
            _root = _first = only;
            return made;
        }
        path p = path_to(key);
        const uint32_t index = not_before(*p.end, key);
        if (index > 0 && is_key(p.end->slots()[index - 1], key)) {
            return *p.end->slots()[index - 1].node;
        }
        Node& made = make();
        ++_changes;
        const slot added{key.code, &made};
        if (p.end->count == p.end->capacity && p.end->capacity < leaf_slots_max) {
            p.end = grow_only_leaf(memory);
        }
        if (p.end->count < p.end->capacity) {
            insert_slot(*p.end, index, added);
        } else {
            replace_by(split(*p.end, index, added, memory), p, memory);
        }
        return made;
    }

    // Leaves are of the full size once there are two of them.
    leaf* grow_only_leaf(arena& memory) {
        assert(_height == 0);
        leaf* const larger = make_leaf(memory, std::min(_first->capacity * leaf_slots_growth, leaf_slots_max));
        std::copy_n(_first->slots(), _first->count, larger->slots());
        larger->count = _first->count;
        _root = _first = larger;
        return larger;
    }

    halves split(leaf& full, uint32_t index, const slot& added, arena& memory) {
        leaf* const other = make_leaf(memory, leaf_slots_max);
        if (index == full.count && &full == _first) {
            insert_slot(*other, 0, added);
            other->next = _first;
            _first = other;
            return {other, {full.least(), &full}};
        }
        other->next = full.next;
        full.next = other;
        // At the end of all: the mirror image of the case above. Otherwise the greater half moves.
        const bool is_last = index == 0 && other->next == nullptr;
        const uint32_t moved = is_last ? 0 : full.count / 2;
        std::copy_n(full.slots(), moved, other->slots());
        std::copy(full.slots() + moved, full.slots() + full.count, full.slots());
        other->count = moved;
        full.count -= moved;
        if (is_last || index < moved) {
            insert_slot(*other, index, added);
        } else {
            insert_slot(full, index - moved, added);
        }
        return {&full, {other->least(), other}};
    }

    static halves split(inner& full, arena& memory) {
        auto* const other = new (memory.allocate(sizeof(inner))) inner;
        const uint32_t kept = full.count / 2;
        std::copy(full.branches.data() + kept, full.branches.data() + full.count, other->branches.data());
        other->count = full.count - kept;
        full.count = kept;
        return {&full, {other->branches[0].least, other}};
    }

    // Puts the halves where the node at the end of the path was, and splits its parents as far as they are full.
    void replace_by(halves h, const path& p, arena& memory) {
        for (uint32_t level = _height; level-- > 0;) {
            const auto [parent, at] = p.steps[level];
            parent->branches[at].child = h.left;
            if (parent->count < inner_branches_max) {
                insert_branch(*parent, at + 1, h.right);
                return;
            }
            const halves parents = split(*parent, memory);
            if (at < parent->count) {
                insert_branch(*parent, at + 1, h.right);
            } else {
                insert_branch(*static_cast<inner*>(parents.right.child), at + 1 - parent->count, h.right);
            }
            h = parents;
        }
        assert(_height < height_max);
        auto* const root = new (memory.allocate(sizeof(inner))) inner;
        root->count = 2;
        root->branches[0] = {{}, h.left};
        root->branches[1] = h.right;
        _root = root;
        ++_height;
    }

    void* _root = nullptr; // a leaf at height 0
    leaf* _first = nullptr;
    uint32_t _height = 0;
    uint32_t _changes = 0; // counts inserts, and may wrap: a position is not kept over four billion of them
};

} // namespace tables
