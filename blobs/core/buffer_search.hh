// A search in a buffer, some records at a time. It remembers an order, not a place, so records may come in between.
#pragma once

#include <optional>

#include "blobs/core/blob_search.hh"
#include "blobs/core/record_buffer.hh"

namespace blobs {

class buffer_search {
public:
    // Both outlive the search.
    buffer_search(record_buffer&, const compiled_predicate&, scan_order);

    // Looks at no more than blob_search::scan_records_max records. False when there are no more, or the visitor had enough.
    bool scan(const record_visitor&);

private:
    bool visit(size_t i, const record_visitor&);

    record_buffer& _buffer;
    const compiled_predicate& _predicate;
    scan_order _order;
    std::optional<record_order> _last; // looked at
    std::vector<base::property> _fields;
};

} // namespace blobs
