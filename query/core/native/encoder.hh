// Rows -> bytes of a reply. An encoder is fed row by row and asked for what has collected; it holds no more than that.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "query/core/native/answer.hh"
#include "query/core/native/answer_row.hh"
#include "query/core/native/column_set.hh"

namespace query {

enum class format : uint8_t { json, ndjson, csv, arrow };

std::string_view content_type(format);
// The first of an Accept header that we have, weights considered; JSON for */* and for no header. Nothing: none of them.
std::optional<format> choose_format(std::string_view accept);

class encoder {
public:
    virtual ~encoder() = default;

    virtual void add(const answer_row&, std::string& out) = 0;
    // What closes the answer.
    virtual void finish(const answer_facts&, std::string& out) = 0;
};

// The column set is what all rows together have; JSON and NDJSON do not look at it. It must outlive the encoder. An Arrow stream
// begins with the facts.
std::unique_ptr<encoder> make_encoder(format, const column_set&, const answer_facts&);

} // namespace query
