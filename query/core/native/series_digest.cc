#include "query/core/native/series_digest.hh"

#include <algorithm>
#include <cassert>
#include <utility>

#include "query/core/native/tag_conditions.hh"

namespace query {

series_digest::~series_digest() {
    for (const auto& words : _arrays) {
        delete[] words.load(std::memory_order_relaxed);
    }
    for (const auto* k = _kinds.load(std::memory_order_relaxed); k != nullptr;) {
        delete std::exchange(k, k->next);
    }
}

size_t series_digest::words_of(size_t array) {
    size_t words = first_words;
    for (size_t i = 0; i < array; ++i) {
        words *= growth;
    }
    return words;
}

// The upper half of the hash, as a fraction of the array.
const series_digest::word& series_digest::word_of(const word* words, size_t count, uint64_t hash) {
    return words[((hash >> 32) * count) >> 32];
}

uint64_t series_digest::bits_of(uint64_t hash) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < 4; ++i) {
        bits |= uint64_t{1} << (hash >> (6 * i) & 63);
    }
    return bits;
}

void series_digest::add_tag(uint64_t hash) {
    if (_room == 0) {
        assert(_arrays_count < arrays_max);
        const auto words = words_of(_arrays_count);
        _arrays[_arrays_count++].store(new word[words](), std::memory_order_release);
        _room = words * tags_per_word;
        _heap_bytes += words * sizeof(word);
    }
    --_room;
    auto* const words = _arrays[_arrays_count - 1].load(std::memory_order_relaxed);
    const_cast<word&>(word_of(words, words_of(_arrays_count - 1), hash)).fetch_or(bits_of(hash), std::memory_order_relaxed);
}

// One more than can be of use says that there are too many.
void series_digest::add_kind(std::vector<std::string> names) {
    if (_kinds_count > series_kinds_max) {
        return;
    }
    ++_kinds_count;
    for (const auto& n : names) {
        _heap_bytes += sizeof n + n.capacity();
    }
    _heap_bytes += sizeof(kind);
    _kinds.store(new kind{std::move(names), _kinds.load(std::memory_order_relaxed)}, std::memory_order_release);
}

bool series_digest::may_have_tag(uint64_t hash) const {
    const auto bits = bits_of(hash);
    size_t count = first_words;
    for (const auto& array : _arrays) {
        const auto* const words = array.load(std::memory_order_acquire);
        if (words == nullptr) {
            return false;
        }
        if ((word_of(words, count, hash).load(std::memory_order_relaxed) & bits) == bits) {
            return true;
        }
        count *= growth;
    }
    return false;
}

bool series_digest::all_kinds_have(const std::string& name) const {
    size_t count = 0;
    for (const auto* k = _kinds.load(std::memory_order_acquire); k != nullptr; k = k->next) {
        if (++count > series_kinds_max || !std::ranges::contains(k->names, name)) {
            return false;
        }
    }
    return true;
}

bool series_digest::may_hold(const filter& where, const node& n) const {
    if (!is_tag_condition(where, n)) {
        return n.kind != node_kind::constant || n.literal != 0;
    }
    const auto& about = where.subject_of(n);
    return may_have_tag(tag_hash(about.name, where.literal_of(n).value().as_string())) ||
           (about.scope == name_scope::any && !all_kinds_have(about.name));
}

bool series_digest::may_have(const filter& where) const {
    std::vector<bool> outcomes; // of subtrees without a parent yet
    for (const node& n : where.postfix()) {
        if (is_condition(n.kind)) {
            outcomes.push_back(may_hold(where, n));
        } else if (n.kind == node_kind::negation) {
            outcomes.back() = true;
        } else {
            assert(n.operands_count <= outcomes.size());
            const auto first = outcomes.end() - n.operands_count;
            const bool is_any = std::find(first, outcomes.end(), true) != outcomes.end();
            const bool are_all = std::find(first, outcomes.end(), false) == outcomes.end();
            outcomes.erase(first, outcomes.end());
            outcomes.push_back(n.kind == node_kind::conjunction ? are_all : is_any);
        }
    }
    return outcomes.empty() || outcomes.back();
}

} // namespace query
