// What of a filter a search in logs can use to leave out whole blocks: the conditions that every match must meet and that blobs
// know how to test. Wider than the filter, never narrower.
#pragma once

#include "blobs/core/predicate.hh"
#include "query/core/filter_ast.hh"

namespace query {

struct pushed_filter {
    blobs::record_predicate where; // without times
    bool is_all = false;           // it says the same as the filter: what it finds needs no second look
};

pushed_filter push_down(const filter&);

} // namespace query
