// Log records as rows of an answer (native/record_row.hh), packed into batches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "blobs/core/record.hh"
#include "query/core/native/plan.hh"
#include "tables/core/row_batch.hh"

namespace query {

// The key of a record's row: its time as points have it, then what orders records of one time.
std::string record_key(const blobs::record_order&);

class record_packer {
public:
    // The plan outlives it.
    record_packer(const plan&, uint32_t part);

    // Only the columns that the plan wants. Text that is not UTF-8 is shown with replacement characters.
    void add(const blobs::record&, std::string_view key);
    bool is_empty() const { return _rows.empty(); }
    size_t bytes() const { return _rows.bytes().size(); }
    std::string take() { return _rows.take(); }

private:
    bool is_wanted(std::string_view property) const;
    void add_text(std::string_view property, std::string_view);
    std::string_view shown(std::string_view);

    std::optional<std::vector<std::string>> _columns; // nothing: all
    tables::row_batch_builder _rows;
    std::vector<tables::property> _properties;
    std::vector<std::string> _repaired;
};

} // namespace query
