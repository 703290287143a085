#include "query/core/native/column_set.hh"

namespace query {

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

void column_set::observe(const answer_row& row) {
    for_each_cell(row, [this](section s, std::string_view name, const tables::value& v) {
        auto found = _entries.find(std::pair(s, name));
        if (found == _entries.end()) {
            found = _entries.try_emplace(std::pair(s, std::string(name))).first;
        }
        found->second.types |= static_cast<uint16_t>(1u << static_cast<unsigned>(v.type()));
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
    for_each_cell(row, [&](section s, std::string_view name, const tables::value& v) {
        if (const auto found = _entries.find(std::pair(s, name)); found != _entries.end()) {
            out[found->second.column] = v;
        }
    });
}

} // namespace query
