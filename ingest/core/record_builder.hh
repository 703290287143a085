// Puts a record together. Reused from record to record, and by any number of parsers that take turns (one for each shard is
// enough): in steady state nothing is allocated.
#pragma once

#include "base/text_arena.hh"
#include "ingest/core/field_list.hh"
#include "ingest/core/record.hh"

namespace ingest {

class record_builder {
public:
    // Forgets the record before this one.
    void clear() {
        _record = {};
        _fields.clear();
        _texts.reset();
    }

    // For texts of the record that are nowhere as they should be; they live until clear().
    base::text_arena& texts() { return _texts; }

    // All but its fields, to be filled in.
    record_view& head() { return _record; }
    field_list& fields() { return _fields; }

    // Borrows from this object; good until clear().
    const record_view& finish() {
        _record.fields = _fields.all();
        return _record;
    }

private:
    record_view _record;
    field_list _fields;
    base::text_arena _texts;
};

} // namespace ingest
