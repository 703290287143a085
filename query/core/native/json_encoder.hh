// JSON: {"rows":[ROW,...],"start":...,"end":...,"rows_examined":...,"cursor":...}; and NDJSON: a ROW for each line.
//
//   ROW = {"time":..., "family"|"table"|"source":..., its head, "tags":{...}, "fields":{...}}
#pragma once

#include "query/core/native/encoder.hh"

namespace query {

// Without a line end.
void append_json_row(const answer_row&, std::string& out);
// The members that close an answer, without braces.
void append_json_facts(const answer_facts&, std::string& out);

std::unique_ptr<encoder> make_json_encoder();
std::unique_ptr<encoder> make_ndjson_encoder();

} // namespace query
