// What of a filter a search in logs can use to leave out whole blocks: the conditions that every match must meet and that blobs know
// how to test. Wider than the filter, never narrower.
#pragma once

#include "blobs/core/predicate.hh"
#include "query/core/filter_ast.hh"

namespace query {

// Without times.
blobs::record_predicate push_down(const filter&);

} // namespace query
