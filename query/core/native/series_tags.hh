// The tags of the partition that is being read. Rows of one partition follow each other, so its key is taken apart once.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_arena.hh"
#include "tables/core/family/tag.hh"

namespace query {

class series_tags {
public:
    // `partition_key` as text, not collated. False when it is the same partition as before. The tags of a key that is no series
    // (somebody's own row in a family's table) are none.
    bool enter(std::string_view partition_key, unsigned spread);

    // Sorted by name; valid until the next partition.
    std::span<const tables::tag> tags() const { return _tags; }
    const std::string_view* find(std::string_view name) const;

private:
    std::string _partition_key;
    bool _is_entered = false;
    std::vector<tables::tag> _tags;
    base::text_arena _texts;
};

} // namespace query
