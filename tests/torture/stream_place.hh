// Where the entries of a stream are and what they hold: entry n lies at a time that follows from n, and so does its text. Points
// and records are read back through the same questions, /v1/range and /v1/tail.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "tests/torture/http_connection.hh"
#include "tests/torture/verdict.hh"

namespace torture {

struct stream_place {
    enum class kind { family, source } what;
    std::string name;
    int64_t begin_ns = 0; // of entry 0, since 1970

    int64_t time_ns(uint64_t n) const;
    std::string from() const { return (what == kind::family ? "family:" : "source:") + name; }
};

// Streams begin shortly before the last midnight, so that they lie in two periods.
int64_t stream_begin_ns();

// "17 wxyz...": the number and what follows from it.
std::string entry_text(uint64_t n);

// Or why not: the question was not answered, or the answer says that it lacks something.
template <class T>
using answer = std::expected<T, std::string>;

// The numbers of all entries in [first, end), in the order of the answer. An entry whose text is not the one that was sent is a
// violation.
answer<std::vector<uint64_t>> read_range(http_connection&, const stream_place&, uint64_t first, uint64_t end, verdict&);
// The newest `count` entries, as they come.
answer<std::vector<uint64_t>> read_tail(http_connection&, const stream_place&, size_t count, verdict&);

} // namespace torture
