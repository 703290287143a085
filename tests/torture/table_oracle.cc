#include "tests/torture/table_oracle.hh"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace torture {
namespace {

// More than any reader can fall behind.
constexpr size_t history_max = 4096;

int status_of(const step& s, const table_state& state) {
    const bool is_there = state.rows.contains(s.key());
    switch (s.what) {
    case verb::insert: return is_there ? 409 : 204;
    case verb::replace:
    case verb::merge:
    case verb::remove: return is_there ? 204 : 404;
    case verb::insert_or_replace:
    case verb::insert_or_merge: return 204;
    }
    return 0;
}

void make(const step& s, table_state& state) {
    if (s.what == verb::remove) {
        state.rows.erase(s.key());
        return;
    }
    auto& row = state.rows[s.key()];
    if (s.what != verb::merge && s.what != verb::insert_or_merge) {
        row.clear();
    }
    for (const auto& [name, text] : s.properties) {
        row[name] = text;
    }
}

effect write(const table_state& before, const std::vector<step>& steps) {
    if (!before.exists) {
        return {404, before};
    }
    auto after = before;
    for (const auto& s : steps) {
        // Each entity is in a transaction once, so that what comes before in it does not matter.
        if (const int status = status_of(s, before); status != 204) {
            return {status, before};
        }
        make(s, after);
    }
    return {204, std::move(after)};
}

} // namespace

table_state table_state::only(std::string_view partition) const {
    table_state part{exists, {}};
    for (const auto& [key, row] : rows) {
        if (std::string_view(key).substr(0, key.find('|')) == partition) {
            part.rows.emplace(key, row);
        }
    }
    return part;
}

effect apply(const table_state& before, const table_change& change) {
    switch (change.what) {
    case table_change::kind::create: return before.exists ? effect{409, before} : effect{204, {true, {}}};
    case table_change::kind::drop: return before.exists ? effect{204, {}} : effect{404, before};
    case table_change::kind::write: return write(before, change.steps);
    }
    return {};
}

void table_oracle::keep(std::vector<table_state> states) {
    _possible.clear();
    for (auto& s : states) {
        if (std::ranges::find(_possible, s) == _possible.end()) {
            _possible.push_back(std::move(s));
        }
    }
    _effects.clear();
    _history.push_back(_possible);
    if (_history.size() > history_max) {
        _history.erase(_history.begin(), _history.begin() + history_max / 2);
        _history_begin += history_max / 2;
    }
}

void table_oracle::sent(table_change change) {
    const std::lock_guard lock(_mutex);
    _change = std::move(change);
    auto all = _possible;
    for (const auto& state : _possible) {
        _effects.push_back(apply(state, _change));
        all.push_back(_effects.back().after);
    }
    _history.push_back(std::move(all));
}

void table_oracle::answered(int status) {
    const std::lock_guard lock(_mutex);
    std::vector<table_state> explained;
    for (const auto& e : _effects) {
        if (e.status == status) {
            explained.push_back(e.after);
        }
    }
    if (explained.empty()) {
        _verdict.violated("P1", fmt::format("{}: answered {} where {} was due", _name, status, _effects.front().status));
        for (const auto& e : _effects) {
            explained.push_back(e.after);
        }
    }
    keep(std::move(explained));
}

void table_oracle::refused() {
    const std::lock_guard lock(_mutex);
    keep(_possible);
}

void table_oracle::unknown() {
    const std::lock_guard lock(_mutex);
    auto all = _possible;
    for (const auto& e : _effects) {
        all.push_back(e.after);
    }
    keep(std::move(all));
}

size_t table_oracle::begin_read() const {
    const std::lock_guard lock(_mutex);
    return _history_begin + _history.size() - 1;
}

void table_oracle::check_read(size_t begun, const table_state& seen, std::string_view partition, const std::string& where) {
    const std::lock_guard lock(_mutex);
    if (begun < _history_begin) {
        return; // too long ago to say
    }
    for (auto i = begun - _history_begin; i < _history.size(); ++i) {
        for (const auto& state : _history[i]) {
            if (state.only(partition) == seen) {
                return;
            }
        }
    }
    _verdict.violated("P2", fmt::format("{}, {}, partition {}: {}", where, _name, partition, describe(seen)));
}

void table_oracle::check_settled(const table_state& seen, const std::string& where) {
    const std::lock_guard lock(_mutex);
    if (std::ranges::find(_possible, seen) == _possible.end()) {
        _verdict.violated("P2", fmt::format("{}, {}: {}", where, _name, describe(seen)));
    }
    keep({seen});
}

std::string table_oracle::describe(const table_state& seen) const {
    const auto& one = _possible.front();
    return fmt::format("exists {} {} cannot be; one of {} possible states is exists {} {}", seen.exists, seen.rows,
                       _possible.size(), one.exists, one.rows);
}

} // namespace torture
