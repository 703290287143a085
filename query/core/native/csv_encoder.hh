// CSV (RFC 4180): a line of column names, then a line for each row; what a row does not have is empty.
#pragma once

#include "query/core/native/encoder.hh"

namespace query {

std::unique_ptr<encoder> make_csv_encoder(const column_set&);

} // namespace query
