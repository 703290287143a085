// What is known about one table with a single writer: the set of states it can be in. A change that was sent and not answered
// leaves both; an answer keeps the states that explain it, and when there is none, the server has broken its word. Transactions
// go through it as one change, so that half of one is a state that is not in the set.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "tests/torture/verdict.hh"

namespace torture {

using entity = std::map<std::string, std::string>; // property -> text
using entity_rows = std::map<std::string, entity>; // "partition|row" -> entity

struct table_state {
    bool exists = false;
    entity_rows rows;

    bool operator==(const table_state&) const = default;
    table_state only(std::string_view partition) const;
};

enum class verb { insert, replace, merge, insert_or_replace, insert_or_merge, remove };

struct step {
    verb what;
    std::string partition;
    std::string row;
    entity properties = {};

    std::string key() const { return partition + '|' + row; }
};

// Creates or drops the table, or makes all steps or none.
struct table_change {
    enum class kind { create, drop, write } what;
    std::vector<step> steps = {};
};

// The status that a table in this state must answer with, and the state it is in then.
struct effect {
    int status = 0;
    table_state after;
};
effect apply(const table_state&, const table_change&);

class table_oracle {
public:
    table_oracle(std::string name, verdict& v) : _name(std::move(name)), _verdict(v), _possible{table_state{}} {}

    const std::string& name() const { return _name; }

    // The writer's. One change at a time: sent(), then one of the others.
    void sent(table_change);
    void answered(int status);
    void refused();
    void unknown();

    // For one who reads while the writer goes on: everything between the beginning of the read and its end may be what is seen.
    size_t begin_read() const;
    void check_read(size_t begun, const table_state& seen, std::string_view partition, const std::string& where);
    // When nobody writes: it must be one of the possible states, and then it is the only one.
    void check_settled(const table_state& seen, const std::string& where);

private:
    std::string describe(const table_state& seen) const;
    void keep(std::vector<table_state>);

    const std::string _name;
    verdict& _verdict;
    mutable std::mutex _mutex;
    std::vector<table_state> _possible; // without the change under way
    std::vector<effect> _effects;       // of the change under way, for each possible state
    table_change _change{};
    // Every set of states there was, those under way included; a reader looks at those from its beginning on.
    std::vector<std::vector<table_state>> _history{{table_state{}}};
    size_t _history_begin = 0; // how many were forgotten
};

} // namespace torture
