// Where a page ends and how to go on behind it.
#pragma once

#include <string>

#include "query/core/native/plan.hh"
#include "query/core/native/row_collector.hh"

namespace query {

struct page_end {
    size_t rows_count = 0; // of the page
    std::string cursor;    // empty: there is nothing behind it
};

// Of a collector that looked for one row more than the plan's limit, or had to be shortened.
page_end end_of_page(const plan&, row_collector&);

// A cursor that leads to the very page the plan asks for; empty for the first page of a query.
std::string cursor_of_page(const plan&);

} // namespace query
