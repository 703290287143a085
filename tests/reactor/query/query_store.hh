// A table engine with families and plain tables, a log store beside it, queries over both, and the same rows in a flat list.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <seastar/core/sharded.hh>

#include "query/executor.hh"
#include "tests/lib/running_logs.hh"

namespace query_test {

// Owns its texts. The value of a field is kept as a property of a one-field row would have it.
struct stored_field {
    std::string name;
    tables::value_type type;
    int64_t integer = 0;
    double real = 0;
    std::string text;

    tables::value value() const;
};

struct stored_row {
    query::origin from;
    int64_t time_ns = 0;
    std::map<std::string, std::string> tags;
    std::map<std::string, stored_field> fields;
    std::string partition_key; // of plain tables
    std::string row_key;
    std::string order_key; // what breaks ties: partition key and row key as they are stored
    uint64_t table = 0;
    std::optional<uint8_t> level; // of records
    std::string message;
    std::string host, app; // of records; empty: none
};

// What a record may have beyond time, level and message.
struct record_options {
    std::string host, app;
    std::vector<stored_field> fields;
    unsigned shard = 0; // of those there are
};

class query_store {
public:
    explicit query_store(size_t series_index_bytes_max = 16u << 20);
    ~query_store();

    // Families have day tables, made as points need them.
    struct family_options {
        unsigned spread = 1;
        tables::period_kind period = tables::period_kind::day;
    };
    void declare(const std::string& family, family_options);
    void put_point(const std::string& family, int64_t time_ns, std::map<std::string, std::string> tags,
                   std::vector<stored_field> fields);
    // A row of a plain table; one without a time is stored but not listed.
    void put_entity(const std::string& table, const std::string& partition_key, const std::string& row_key,
                    std::vector<stored_field> fields);

    // Lays fields over a row of a table, in a write of their own. Records stay alone.
    void merge_into(size_t row, std::vector<stored_field> fields);

    // Puts a row of a table again as it is: another version of the same. Records stay alone.
    void put_again(size_t row);

    // A record of a source; needs a time that no other record has.
    void put_record(const std::string& source, int64_t time_ns, uint8_t level, const std::string& message, record_options = {});

    // What is in memory goes to files; what is in files is merged. The answers stay the same.
    void flush() { _logs->engine().flush(); }
    void merge() { _logs->engine().compact(); }
    void seal() { ASSERT_TRUE(_logs->seal()); }
    // As after a stop and a start of the server. Nobody may ask or write meanwhile.
    void restart();

    const std::vector<stored_row>& rows() const { return _rows; }
    query::executor& executor() { return _executors->local(); }
    tables::engine& engine() { return *_logs->engine(); }
    sim::sim_disk& disk() { return _disk; }

    static constexpr int64_t now_ns = 1'794'821'400'000'000'000; // 2026-11-16T09:30:00Z

private:
    void start();
    void stop();
    base::table_id table_for(const std::string& family, int64_t time_ns);
    base::table_id plain_table(const std::string& name);
    void upsert(base::table_id, std::string_view partition_key, std::string_view row_key, const std::vector<stored_field>&,
                tables::row_kind = tables::row_kind::put);
    // The row is there; its fields as it has them, whatever they are called in the table.
    void write_over(const stored_row&, std::vector<stored_field>, tables::row_kind);
    void remember(stored_row);

    sim::sim_disk _disk;
    size_t _series_index_bytes_max;
    std::unique_ptr<testing_lib::running_logs> _logs;
    std::unique_ptr<seastar::sharded<query::executor>> _executors;
    std::map<std::string, family_options> _families;
    std::map<std::string, base::table_id> _tables; // by name
    std::vector<stored_row> _rows;
    std::set<std::pair<uint64_t, std::string>> _keys; // of them: table and order_key
};

using parameters = std::vector<std::pair<std::string, std::string>>;

struct answer {
    std::vector<std::string> rows; // as JSON
    std::string cursor;
    query::answer_facts facts;
    std::string error; // empty: none
};

// Asks as the HTTP face does.
answer ask(query_store&, query::verb, const parameters&, const query::budgets& = {});
// All pages of a range, one behind the other.
std::vector<std::string> ask_all_pages(query_store&, parameters, const query::budgets& = {});

// With only what is selected, if anything is.
std::string to_json(const stored_row&, const std::vector<std::string>& select = {});

} // namespace query_test
