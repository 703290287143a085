#include "query/core/records/record_sum.hh"

#include <algorithm>

#include "base/coding.hh"
#include "base/level.hh"
#include "query/core/records/shown_text.hh"

namespace query {

using tables::value;

record_sum::meaning record_sum::meaning_of(std::string_view name) {
    return name == "level"     ? meaning::level
           : name == "host"    ? meaning::host
           : name == "app"     ? meaning::app
           : name == "message" ? meaning::message
                               : meaning::field;
}

record_sum::record_sum(const plan& p, uint32_t part, aggregator& sums) : _plan(p), _part(part), _sums(sums) {
    for (const auto& s : sums.slots()) {
        const auto what = s.kind == state_kind::rows ? meaning::nothing : s.is_field_only ? meaning::field : meaning_of(s.field);
        const bool is_shown = s.kind == state_kind::first || s.kind == state_kind::last;
        _sources.push_back({what, is_shown, s.field});
    }
    for (const auto& name : p.asked.aggregates->by_tags) {
        const auto what = meaning_of(name);
        _by.push_back(what == meaning::message || what == meaning::field ? meaning::nothing : what);
    }
    _values.resize(_sources.size());
    _repaired.resize(_sources.size());
}

bool record_sum::adds_heads_only() const {
    return std::ranges::all_of(_sources, is_head, &value_source::what);
}

bool record_sum::asks_for_heads_only() const {
    return std::ranges::all_of(_plan.where.slots(), [](const subject& s) {
        const bool is_known = s.name == "time" || s.name == "source" || is_head(meaning_of(s.name));
        return s.scope == name_scope::tag || (s.scope == name_scope::any && is_known);
    });
}

bucket_key::group_key record_sum::make_group(const blobs::record& r) const {
    const auto& from = _plan.origin_of(_plan.parts[_part]);
    const auto text = [](std::string_view name) -> std::optional<std::string> {
        std::string repaired;
        return name.empty() ? std::nullopt : std::optional<std::string>(shown_text(name, repaired));
    };
    bucket_key::group_key group;
    for (size_t i = 0; i < _by.size(); ++i) {
        switch (_by[i]) {
        case meaning::level:
            group.push_back(base::level_name(r.level).transform([](auto name) { return std::string(name); }));
            break;
        case meaning::host: group.push_back(text(r.host)); break;
        case meaning::app: group.push_back(text(r.app)); break;
        default: group.push_back(_plan.asked.aggregates->by_tags[i] == name(from.kind) ? text(from.name) : std::nullopt);
        }
    }
    return group;
}

size_t record_sum::group_of(const blobs::record& r) {
    _group_key.clear();
    for (const auto what : _by) {
        switch (what) {
        case meaning::level: _group_key += static_cast<char>(r.level); break;
        case meaning::host: base::put_bytes(_group_key, r.host); break;
        case meaning::app: base::put_bytes(_group_key, r.app); break;
        default: break;
        }
    }
    const auto found = _groups.find(std::string_view(_group_key));
    if (found != _groups.end()) [[likely]] {
        return found->second;
    }
    return _groups.try_emplace(_group_key, _sums.group_number(_part, make_group(r))).first->second;
}

std::optional<value> record_sum::value_of(const value_source& from, const blobs::record& r, std::string& repaired) const {
    const auto text = [&](std::string_view bytes) -> std::optional<value> {
        if (bytes.empty()) {
            return std::nullopt;
        }
        return value::of_string(from.is_shown ? shown_text(bytes, repaired) : bytes);
    };
    switch (from.what) {
    case meaning::nothing: return std::nullopt;
    case meaning::level: return r.level == blobs::level_none ? std::nullopt : std::optional(value::of_int32(r.level));
    case meaning::host: return text(r.host);
    case meaning::app: return text(r.app);
    case meaning::message: return text(r.message);
    case meaning::field: break;
    }
    const auto found = std::ranges::find(r.fields, from.name, &base::property::name);
    if (found == r.fields.end()) {
        return std::nullopt;
    }
    const bool is_repaired = from.is_shown && found->value.type() == tables::value_type::string;
    return is_repaired ? value::of_string(shown_text(found->value.as_string(), repaired)) : found->value;
}

void record_sum::add(const blobs::record& r) {
    for (size_t i = 0; i < _sources.size(); ++i) {
        _values[i] = value_of(_sources[i], r, _repaired[i]);
    }
    _sums.add(group_of(r), r.order.time_ns, _values);
}

} // namespace query
