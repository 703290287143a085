// Which blocks a scan with a predicate need not read, told from the least and the greatest values that the index of a segment has
// for them.
//
// That no row of a block matches is not enough: one that is passed over may be a newer version of a row in an older segment, or a
// part of one that merges made of several. So a block is skipped only where nothing else in the view can have a key of it.
#pragma once

#include <cstdint>

#include "tables/read_view.hh"
#include "tables/scan.hh"

namespace tables {

class block_skipper {
public:
    // Borrows both.
    block_skipper(const read_view& view, const row_predicate& predicate) : _view(view), _predicate(predicate) {}

    bool can_skip(const segment&, size_t block) const;

private:
    bool is_alone(const segment&, const block_info&) const;

    const read_view& _view;
    const row_predicate& _predicate;
};

} // namespace tables
