// Nodes found by hash. Linear hashing: each insert splits at most one bucket, so that growing never stalls, and the buckets are
// small pages, so that no large piece of memory is needed. Insert only; nodes and pages are the arena's.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tables/core/arena.hh"

namespace tables {

// Node has `uint64_t hash` and `Node* next_in_bucket`.
template <class Node>
class hash_index {
public:
    template <class Predicate>
    Node* find(uint64_t hash, const Predicate& is_it) const {
        if (_buckets_count == 0) {
            return nullptr;
        }
        for (Node* node = *bucket(bucket_of(hash)); node != nullptr; node = node->next_in_bucket) {
            if (node->hash == hash && is_it(*node)) {
                return node;
            }
        }
        return nullptr;
    }

    // For a find() to come: where it begins; and once that is there, the first node it looks at.
    void prefetch(uint64_t hash) const {
        if (_buckets_count != 0) {
            __builtin_prefetch(bucket(bucket_of(hash)));
        }
    }
    const Node* first_looked_at(uint64_t hash) const { return _buckets_count == 0 ? nullptr : *bucket(bucket_of(hash)); }

    void insert(Node& node, arena& memory) {
        if (_nodes_count >= _buckets_count) {
            add_bucket(memory);
        }
        link(node);
        ++_nodes_count;
    }

    size_t size() const { return _nodes_count; }
    // Beside what is in the arena.
    size_t heap_bytes() const { return _pages.capacity() * sizeof(Node**); }

private:
    static constexpr size_t page_buckets = 64;

    Node** bucket(size_t i) const { return _pages[i / page_buckets] + i % page_buckets; }

    // Buckets that the next power of two would have and that are not there yet are still part of their lower half.
    size_t bucket_of(uint64_t hash) const {
        const size_t i = hash & _mask;
        return i < _buckets_count ? i : i & (_mask >> 1);
    }

    void link(Node& node) {
        Node** const head = bucket(bucket_of(node.hash));
        node.next_in_bucket = *head;
        *head = &node;
    }

    void add_bucket(arena& memory) {
        if (_buckets_count % page_buckets == 0) {
            auto* const page = static_cast<Node**>(memory.allocate(page_buckets * sizeof(Node*)));
            std::fill_n(page, page_buckets, nullptr);
            _pages.push_back(page);
        }
        const size_t added = _buckets_count++;
        _mask = std::bit_ceil(_buckets_count) - 1;
        if (added == 0) {
            return;
        }
        Node** const halved = bucket(added & (_mask >> 1));
        Node* node = *halved;
        *halved = nullptr;
        while (node != nullptr) {
            Node* const next = node->next_in_bucket;
            link(*node);
            node = next;
        }
    }

    std::vector<Node**> _pages;
    size_t _buckets_count = 0;
    size_t _nodes_count = 0;
    size_t _mask = 0;
};

} // namespace tables
