// `where` over log records as they are, before any of them becomes a row. Says the same as row_matcher would of that row.
#pragma once

#include <string>
#include <vector>

#include "blobs/core/record.hh"
#include "query/core/filter_eval.hh"
#include "query/core/native/origin.hh"

namespace query {

class record_matcher {
public:
    // The program and the origin outlive it.
    record_matcher(const program&, const origin&);

    bool matches(const blobs::record&) const;

private:
    enum class meaning : uint8_t { time, source, level, host, app, message, field, nothing };
    struct binding {
        meaning what;
        std::string_view name;
    };
    struct slots;

    static meaning meaning_of(const subject&);

    const program& _program;
    const origin& _origin;
    std::vector<binding> _bindings; // one for each slot
};

} // namespace query
