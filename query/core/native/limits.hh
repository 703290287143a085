// The bounds of one question to the native API.
#pragma once

#include <cstddef>

namespace query {

// Rows of one answer: it is put in order before its first byte leaves, so it has to fit the memory of a query.
constexpr size_t rows_max = 100'000;
constexpr size_t tail_rows_default = 10;
constexpr size_t range_rows_default = 1'000;

// Names in one `from`, `select`, `by` or `agg`. Each costs work for every row.
constexpr size_t from_items_max = 100;
constexpr size_t listed_names_max = 252;
constexpr size_t aggregates_max = 64;

// Of a format that has all columns of a page in every row.
constexpr size_t flat_columns_max = 4'096;

// A cursor holds two keys and a name; more is not one of ours.
constexpr size_t cursor_bytes_max = 16 << 10;

} // namespace query
