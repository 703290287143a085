// Fields as they were sent -> properties as a row has them: under their property names, sorted. Lines of one family mostly have
// the same fields in the same order, so what was worked out for the line before is kept, and the next one costs a comparison of
// names.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "ingest/core/line_fault.hh"
#include "tables/core/value.hh"

namespace ingest {

class field_order {
public:
    // Borrows from the values of `sent` and from this object; good until the next call. property_name_too_long. Needs: no name
    // twice, at most fields_max.
    // Lists with the same number `names` have the same names in the same order; 0 says nothing.
    std::expected<std::span<const tables::property>, line_fault> sort(std::span<const tables::property> sent, uint64_t names = 0);

    // Of the last sort(): bytes of all texts among the values.
    size_t text_bytes() const { return _text_bytes; }

private:
    bool is_known(std::span<const tables::property> sent) const;
    line_fault learn(std::span<const tables::property> sent);

    std::vector<std::string> _sent;        // names, as sent
    std::vector<std::string> _names;       // of the properties, in the order sent
    std::vector<uint16_t> _places;         // where in _sorted each goes
    std::vector<tables::property> _sorted; // names borrowed from _names
    uint64_t _sent_number = 0;             // of _sent, or 0
    size_t _text_bytes = 0;
};

} // namespace ingest
