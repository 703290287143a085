// Segments with random rows beside a model of what is in them.
#pragma once

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tables/core/segment/block_rows.hh"
#include "tables/core/segment/segment_builder.hh"
#include "tables/core/segment/segment_view.hh"

namespace samples {

using generator = std::mt19937_64;

// A property that owns what it refers to.
struct stored_property {
    std::string name;
    tables::value_type type;
    uint64_t bits = 0;
    std::string bytes; // strings, binaries, guids

    tables::property view() const;
};

struct stored_row {
    tables::row_kind kind = tables::row_kind::put;
    base::tick timestamp;
    std::vector<stored_property> properties; // sorted by name

    std::vector<tables::property> views() const;
};

using key = std::pair<std::string, std::string>; // collated
using model = std::map<key, stored_row>;

// Every kind of table, one for each seed: time keys with and without suffixes, text keys, both; few and many partitions; sparse
// properties, one name with several types, extreme values, merges and removes.
model random_rows(uint64_t seed);
tables::segment_options random_options(uint64_t seed);

// All steps at once.
std::string build(const model&, const tables::segment_options&);
void drain(tables::segment_builder&, std::string& file);

tables::segment_view open(std::string_view file);
std::string_view bytes_of(std::string_view file, tables::file_extent);

// The row as the model has it.
stored_row stored(const tables::segment_row&);
bool operator==(const stored_property&, const stored_property&);
bool operator==(const stored_row&, const stored_row&);

// Whole rows of one block, in order; or why not.
base::expected<std::vector<std::pair<key, stored_row>>> rows_of(const tables::segment_view&, std::string_view file, size_t block);

} // namespace samples
