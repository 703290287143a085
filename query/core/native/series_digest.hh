// What a series index can say in a few bits to whoever asks on another shard: that nothing there can match. One shard adds to it
// while others look, so it is made of atomic numbers and of pieces that never change once they are linked.
//
// A tag is four bits of one word. The words come in arrays, each larger than the one before, so that nothing is made anew when
// there are more tags: about sixteen bits for each of them, and less than three in a hundred are taken for others.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "query/core/filter_ast.hh"

namespace query {

class series_digest {
public:
    series_digest() = default;
    series_digest(const series_digest&) = delete;
    ~series_digest();

    // By one, the owner of the index. None is added twice.
    void add_tag(uint64_t hash);
    void add_kind(std::vector<std::string> names);
    // From now on it knows what there was when `made` was read, see tables::partitions_made.
    void set_known(uint64_t made) {
        _known.store(std::max(made + 1, _known.load(std::memory_order_relaxed)), std::memory_order_release);
    }
    // Nothing is added any more, nor is it told what it knows.
    void retire() { _is_retired.store(true, std::memory_order_relaxed); }
    size_t bytes() const { return sizeof *this + _heap_bytes; }

    // By anyone. What it was told last is as much as it will ever know.
    bool is_retired() const { return _is_retired.load(std::memory_order_relaxed); }
    // Where it knows what there is by now, and says no, no series can match; else nothing is sure.
    bool knows(uint64_t made) const { return _known.load(std::memory_order_acquire) > made; }
    bool may_have(const filter& where) const;

private:
    static constexpr size_t first_words = 64;
    static constexpr size_t growth = 4;
    static constexpr size_t tags_per_word = 4;
    static constexpr size_t arrays_max = 16;

    using word = std::atomic<uint64_t>;
    struct kind {
        std::vector<std::string> names;
        const kind* next;
    };

    static size_t words_of(size_t array);
    static const word& word_of(const word* words, size_t count, uint64_t hash);
    static uint64_t bits_of(uint64_t hash);
    bool may_have_tag(uint64_t hash) const;
    bool all_kinds_have(const std::string& name) const;
    bool may_hold(const filter&, const node& condition) const;

    std::array<std::atomic<word*>, arrays_max> _arrays{}; // null behind the last one
    std::atomic<const kind*> _kinds = nullptr;            // the last one first
    std::atomic<uint64_t> _known = 0;                     // one more than the count it knows; 0: nothing
    std::atomic<bool> _is_retired = false;
    // The owner's alone.
    size_t _arrays_count = 0;
    size_t _room = 0; // in the last array, of tags
    size_t _kinds_count = 0;
    size_t _heap_bytes = 0;
};

} // namespace query
