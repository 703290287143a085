// Single entities. What segments have of them is read first, and may suspend; what they are is then decided without suspending,
// with the rows in memory as they are at that moment: nothing comes between a condition and the write that rests on it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <seastar/core/future.hh>

#include "base/error.hh"
#include "tables/core/resolve.hh"
#include "tables/core/transaction.hh"
#include "tables/table.hh"

namespace tables {

// A version from a segment, with the block that it borrows from; without a block, and without its properties, where those are not
// needed.
struct stored_version {
    block_ptr block;
    row_version version;
};

struct wanted_row {
    std::string row_key;
    bool needs_properties = true; // else only whether it is there, and its Timestamp
};

// What the segments of one table have of some rows of one partition.
class stored_rows {
public:
    // Reads what the rows in memory leave open. One data read at most for each segment that may have the row.
    seastar::future<base::expected<void>> load(table_ptr, base::sequence snapshot, std::string partition_key,
                                               std::vector<wanted_row>);

    // False: segments have come or gone since.
    bool is_current(const table& t) const { return _generation == t.generation(); }
    // Newest first, down to the first that is not a merge; the newest alone where properties are not needed.
    const std::vector<stored_version>* find(std::string_view row_key) const;

private:
    std::map<std::string, std::vector<stored_version>, std::less<>> _rows;
    uint64_t _generation = 0;
};

// Looks entities up one by one, at one snapshot, and remembers the newest sequence that an answer rests on: also that an entity
// is gone may be news that no flush has covered yet. Not to be used across a suspension.
class entity_finder {
public:
    entity_finder(const table&, const stored_rows&, base::sequence snapshot);

    // Borrowed until the next call.
    std::optional<current_entity> find(std::string_view partition_key, std::string_view row_key);
    base::sequence newest_seen() const { return _newest_seen; }

private:
    const read_view _view;
    const stored_rows& _stored;
    base::sequence _newest_seen;
    std::vector<row_version> _versions;
    row_resolver _resolver;
};

} // namespace tables
