// Which series of a family's table have a tag with a value: so that a question about few of them need not take every key apart.
//
// What it finds for a filter are *candidates*: every series that can match, and maybe others, which whoever asks looks at by
// itself. So values are known by their hashes alone, and series that are gone do no harm. Series with the same names of tags form
// a *kind*: a name without a scope means a field where the series has no such tag, so all kinds without it are candidates too.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/core/filter_ast.hh"
#include "query/core/native/series_digest.hh"
#include "query/core/native/series_tags.hh"
#include "tables/core/arena.hh"
#include "tables/core/hash_index.hh"

namespace query {

class series_index {
public:
    // As of table_part.
    explicit series_index(unsigned spread) : _spread(spread) {}

    // Collated. One that is known is passed over.
    void add(std::string_view partition_key);

    // False: find() has nothing for this filter, whatever is in the index.
    static bool can_find(const filter& where) { return !series_digest().may_have(where); }
    // In key order; nothing when there are more than `count_max`, or the filter says nothing about tags. They live as long as the
    // index.
    std::optional<std::vector<std::string_view>> find(const filter& where, size_t count_max) const;

    // What others may look at; grows with the index.
    const std::shared_ptr<series_digest>& digest() const { return _digest; }

    size_t size() const { return _series.size(); }
    // Everything it has allocated.
    size_t bytes() const;

private:
    // Behind it, the key.
    struct series {
        uint64_t hash;
        series* next_in_bucket;
        uint32_t key_bytes;

        std::string_view key() const { return {reinterpret_cast<const char*>(this + 1), key_bytes}; }
    };
    // Some members of a list; behind it, room for `capacity` pointers to them.
    struct piece {
        piece* next; // those that came before
        uint32_t count;
        uint32_t capacity;

        const series** members() { return reinterpret_cast<const series**>(this + 1); }
        const series* const* members() const { return reinterpret_cast<const series* const*>(this + 1); }
    };
    struct list {
        const series* first = nullptr; // most values belong to one series alone
        piece* rest = nullptr;
        uint64_t count = 0;
    };
    // Of a name and a value.
    struct posting {
        uint64_t hash;
        posting* next_in_bucket;
        list members;
    };
    struct kind {
        std::vector<std::string> names;
        list members;
    };
    // A part of a filter as lists of candidates, some maybe in several.
    struct choice {
        bool is_all = true;
        uint64_t count = 0;
        std::vector<const list*> lists{};
    };

    void append(list&, const series&);
    list& kind_of(std::span<const tables::tag>);
    posting& posting_of(uint64_t hash);
    choice choose(const filter&) const;
    choice choose(const subject&, const literal&) const;
    static void join(std::vector<choice>&, const node& op);

    unsigned _spread;
    tables::arena _memory;
    tables::hash_index<series> _series;
    tables::hash_index<posting> _postings;
    std::map<std::string, kind> _kinds; // by their names, each with its length before it
    size_t _kinds_bytes = 0;
    std::shared_ptr<series_digest> _digest = std::make_shared<series_digest>();
    series_tags _tags;      // of the key that is being added
    std::string _text;      // likewise
    std::string _kind_name; // likewise
};

} // namespace query
