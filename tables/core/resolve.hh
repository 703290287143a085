// From the versions of a row to the row: merges are laid over what they were merged into. Reads, the memtable and compaction
// all fold here, so that they cannot disagree.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tables/core/row_version.hh"

namespace tables {

struct entity_key_view {
    std::string_view partition_key;
    std::string_view row_key;
};

// What a chain of versions comes to. put: the whole entity. remove: there is none. merge: the chain ended without a put or a
// remove; with nothing older anywhere this is the whole entity too.
struct folded_row {
    row_kind kind;
    base::tick timestamp;                 // of the newest version
    std::span<const property> properties; // sorted by name
};

struct resolved_row {
    row_kind kind;
    base::tick timestamp;
    row_view row; // of a remove: none
};

// Keeps its buffers from one row to the next; one for each user.
class row_resolver {
public:
    // Newest first, at least one; nothing is looked at behind the first version that is not a merge. A merge that would take the
    // entity over its limits loses, property by property, what does not fit. The result borrows from the versions and from this
    // object, until the next call.
    folded_row fold(entity_key_view, std::span<const row_version> chain);

    // The same, packed. A chain that one version decides is not copied: the result is that version's own row.
    resolved_row resolve(entity_key_view, std::span<const row_version> chain);

    // Properties lost to the limits, since the beginning.
    uint64_t dropped_count() const { return _dropped_count; }
    // What its buffers take.
    size_t heap_bytes() const;

private:
    // What may still be added to an entity that is near its limits.
    struct room {
        bool is_tight;
        size_t entity_bytes;

        bool admit(const property* replaced, const property& added, size_t count);
    };

    void lay_over(const row_view& newer, room&);

    std::vector<property> _properties;
    std::vector<property> _before; // the properties below the merge that is being laid over them
    shape _shape;
    std::string _packed;
    uint64_t _dropped_count = 0;
};

} // namespace tables
