// Log records -> aggregates, no rows made of them. Groups are by level (its name), host, app and source.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "blobs/core/record.hh"
#include "query/core/native/aggregator.hh"

namespace query {

class record_sum {
public:
    // Both outlive it. Needs: the part is a source.
    record_sum(const plan&, uint32_t part, aggregator&);

    // Whether order, level, host and app of a record are all that is added up, and all that `where` is about.
    bool adds_heads_only() const;
    bool asks_for_heads_only() const;
    void add(const blobs::record&);

private:
    enum class meaning : uint8_t { nothing, level, host, app, message, field };
    struct value_source {
        meaning what;
        bool is_shown; // the answer may have it as it is
        std::string name;
    };
    struct hash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };

    static meaning meaning_of(std::string_view name);
    static bool is_head(meaning m) { return m != meaning::message && m != meaning::field; }
    size_t group_of(const blobs::record&);
    bucket_key::group_key make_group(const blobs::record&) const;
    std::optional<tables::value> value_of(const value_source&, const blobs::record&, std::string& repaired) const;

    const plan& _plan;
    const uint32_t _part;
    aggregator& _sums;
    std::vector<value_source> _sources; // of each slot
    std::vector<meaning> _by;           // of each name in `by`; nothing: the same for all records
    // By what tells groups apart, packed together.
    std::unordered_map<std::string, size_t, hash, std::equal_to<>> _groups;
    std::string _group_key;
    std::vector<std::optional<tables::value>> _values;
    std::vector<std::string> _repaired;
};

} // namespace query
