// Which columns of a segment the properties of a shape are. Rows of one table have few shapes, and neighbours mostly the same.
#pragma once

#include <span>
#include <vector>

#include "tables/core/row.hh"
#include "tables/core/segment/segment_schema.hh"

namespace tables {

class column_binder {
public:
    // Adds to the schema what it does not have yet.
    explicit column_binder(segment_schema& schema) : _schema(&schema) {}

    // One for each property. Borrowed until the next call.
    std::span<const column_id> bind(const shape&);

private:
    // Shapes that take turns from row to row stay here; more of them than this are looked up name by name.
    static constexpr size_t bindings_max = 8;

    struct binding {
        tables::shape shape; // a copy: the caller's may be gone, and another at its address
        std::vector<column_id> ids;
    };

    segment_schema* _schema;
    std::vector<binding> _bindings; // used last first
};

} // namespace tables
