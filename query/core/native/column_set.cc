#include "query/core/native/column_set.hh"

#include <algorithm>

#include "query/core/native/name_list.hh"

namespace query {

column_set::column_set(const plan& p) : _is_fixed(p.asked.select.has_value()) {
    if (!_is_fixed) {
        return;
    }
    for (const auto kind : {origin_kind::family, origin_kind::table, origin_kind::source}) {
        if (std::ranges::contains(p.origins, kind, &origin::kind)) {
            _takers[{section::origin, std::string(name(kind))}].push_back(_columns.size());
            _columns.push_back({std::string(name(kind)), 0});
        }
    }
    for (const auto& s : *p.asked.select) {
        const bool is_time = s.scope == name_scope::any && s.name == "time"; // it is there anyway
        if (!is_time) {
            select(to_label(s), s);
        }
    }
}

column_set::column_set(const aggregation& a) : _is_fixed(true) {
    for (const auto& name : a.by_tags) {
        _takers[{section::tag, name}].push_back(_columns.size());
        _columns.push_back({name, 0});
    }
    for (const auto& call : a.calls) {
        _takers[{section::field, call.label}].push_back(_columns.size());
        _columns.push_back({call.label, 0});
    }
}

void column_set::select(std::string label, const subject& s) {
    const auto same = std::ranges::find(_columns, label, &flat_column::label);
    const auto column = static_cast<size_t>(same - _columns.begin());
    if (same == _columns.end()) {
        _columns.push_back({std::move(label), 0});
    }
    using enum name_scope;
    for (const auto& [sort, is_meant] : {std::pair{section::head, s.scope == any}, std::pair{section::tag, s.scope != field},
                                         std::pair{section::field, s.scope != tag}}) {
        auto& takers = _takers[{sort, s.name}];
        if (is_meant && !std::ranges::contains(takers, column)) {
            takers.push_back(column);
        }
    }
}

template <class Visit>
void column_set::for_each_cell(const answer_row& row, Visit visit) {
    using tables::value;
    if (row.from != nullptr) {
        visit(section::origin, name(row.from->kind), value::of_string(row.from->name));
    }
    for (const auto& p : row.head) {
        visit(section::head, p.name, p.value);
    }
    for (const auto& t : row.tags) {
        visit(section::tag, t.name, value::of_string(t.value));
    }
    for (const auto& p : row.fields) {
        visit(section::field, p.name, p.value);
    }
}

template <class Visit>
void column_set::for_each_column(const answer_row& row, Visit visit) const {
    for_each_cell(row, [&](section s, std::string_view name, const tables::value& v) {
        if (const auto found = _takers.find(std::pair(s, name)); found != _takers.end()) {
            for (const auto column : found->second) {
                visit(column, v);
            }
        }
    });
}

void column_set::observe(const answer_row& row) {
    const auto bit_of = [](const tables::value& v) { return static_cast<uint16_t>(1u << static_cast<unsigned>(v.type())); };
    if (_is_fixed) {
        return for_each_column(row, [&](size_t column, const tables::value& v) { _columns[column].types |= bit_of(v); });
    }
    for_each_cell(row, [&](section s, std::string_view name, const tables::value& v) {
        auto found = _entries.find(std::pair(s, name));
        if (found == _entries.end()) {
            found = _entries.try_emplace(std::pair(s, std::string(name))).first;
        }
        found->second.types |= bit_of(v);
    });
}

void column_set::close() {
    std::map<std::string_view, unsigned> uses{{"time", 1}};
    for (const auto& [key, entry] : _entries) {
        ++uses[key.second];
    }
    for (auto& [key, entry] : _entries) {
        const auto& [s, name] = key;
        const bool is_ambiguous = uses[name] > 1 && (s == section::tag || s == section::field);
        entry.column = _columns.size();
        _columns.push_back({(is_ambiguous ? s == section::tag ? "tag." : "field." : "") + name, entry.types});
    }
}

void column_set::place(const answer_row& row, cells& out) const {
    out.assign(_columns.size(), std::nullopt);
    if (_is_fixed) {
        return for_each_column(row, [&](size_t column, const tables::value& v) {
            if (!out[column]) { // the first that has the name
                out[column] = v;
            }
        });
    }
    for_each_cell(row, [&](section s, std::string_view name, const tables::value& v) {
        if (const auto found = _entries.find(std::pair(s, name)); found != _entries.end()) {
            out[found->second.column] = v;
        }
    });
}

} // namespace query
