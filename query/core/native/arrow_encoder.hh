// An Arrow IPC stream: the schema, record batches, end of stream; what pyarrow, polars and DuckDB read as it is.
//
//   time                    timestamp[ns, UTC]
//   String, Guid            utf8                    Int32, Int64   int32, int64         Double    float64
//   Boolean                 bool                    Binary         binary               DateTime  timestamp[us, UTC], rounded
//   down
//
// A column whose values have several types becomes one column for each: `x` of the first of that list, `x:int64` and so on.
#pragma once

#include "query/core/native/encoder.hh"

namespace query {

std::unique_ptr<encoder> make_arrow_encoder(const column_set&, const answer_facts&);

} // namespace query
