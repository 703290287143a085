// What one live tail wants of what arrives on a shard: rows and records as they are written -> rows of its answer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.hh"
#include "blobs/core/record.hh"
#include "query/core/native/plan.hh"
#include "query/core/native/row_decoder.hh"
#include "query/core/native/row_matcher.hh"
#include "query/core/records/record_matcher.hh"
#include "tables/core/row_batch.hh"

namespace query {

struct live_row {
    int64_t time_ns = 0;
    uint64_t key = 0; // key_of() the row
    std::string json;
};

// Tells one row of an answer from all others.
uint64_t key_of(const plan&, const found_row&);

class live_query {
public:
    using planner = std::function<base::expected<plan>(request)>;

    // The planner is asked again whenever something comes that it may not have known of.
    live_query(request, planner);

    // Those that match. A row is taken as it was written: of one that is merged into another, what it adds.
    void add_rows(base::table_id, const tables::row_batch_reader&, std::vector<live_row>& found);
    void add_record(std::string_view source, const blobs::record&, std::vector<live_row>& found);

private:
    // What it takes to read one part of the plan.
    struct reader {
        reader(const plan&, uint32_t part);

        row_matcher rows;
        record_matcher records;
    };
    static constexpr uint32_t not_wanted = UINT32_MAX;

    void make_plan();
    uint32_t part_of(base::table_id);
    uint32_t part_of(std::string_view source);
    reader& reader_of(uint32_t part);
    bool is_wanted(uint32_t part, int64_t time_ns, const tables::batch_row&);
    void add(const found_row&, std::vector<live_row>& found);

    const request _asked;
    const planner _planner;
    std::unique_ptr<plan> _plan; // null: nothing of what was asked for is there
    std::unique_ptr<row_decoder> _decoder;
    std::vector<std::unique_ptr<reader>> _readers;  // by part
    std::unordered_map<uint64_t, uint32_t> _tables; // to parts of the plan
    std::unordered_map<std::string, uint32_t> _sources;
    std::string _partition_key, _row_key; // scratch
};

} // namespace query
