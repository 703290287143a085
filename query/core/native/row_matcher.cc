#include "query/core/native/row_matcher.hh"

#include "base/level.hh"
#include "query/core/block_stats.hh"
#include "query/core/native/record_row.hh"
#include "tables/core/family/property_name.hh"

namespace query {

using tables::value;
using tables::value_type;

struct row_matcher::partition_slots {
    row_matcher& of;

    std::optional<std::optional<value>> common_value_of(size_t slot) {
        using certain = std::optional<value>;
        const auto& b = of._bindings[slot];
        if (b.what == meaning::origin_name) {
            return certain(value::of_string(of._origin.name));
        }
        if (b.tag != nullptr && (b.what == meaning::tag || b.what == meaning::tag_or_property)) {
            return told(b, value::of_string(*b.tag));
        }
        const bool is_missing = b.what == meaning::tag || b.what == meaning::nothing;
        return is_missing ? std::optional<certain>(std::in_place) : std::nullopt;
    }
};

row_matcher::row_matcher(const program& p, const origin& o, unsigned spread) : _program(p), _origin(o), _spread(spread) {
    _bindings.reserve(p.slots().size());
    for (const auto& s : p.slots()) {
        _bindings.push_back(bind(s));
    }
    if (!looks_at_series()) {
        partition_slots slots{*this};
        _verdict = _program.foresee(slots);
    }
}

row_matcher::binding row_matcher::bind(const subject& s) const {
    binding b{meaning::property, false, s.name, s.name};
    const bool is_plain = s.scope == name_scope::any;
    if (is_plain && s.name == "time") {
        b.what = meaning::time;
    } else if (is_plain && s.name == name(_origin.kind)) {
        b.what = meaning::origin_name;
    } else if (_origin.kind == origin_kind::family) {
        b.what = s.scope == name_scope::tag ? meaning::tag : is_plain ? meaning::tag_or_property : meaning::property;
        b.property.clear();
        if (!tables::append_property_name(s.name, b.property)) {
            b.what = is_plain ? meaning::tag : b.what; // no field can have such a name
        }
        b.is_level = is_plain && s.name == "level";
    } else if (s.scope == name_scope::tag) {
        b.what = meaning::nothing;
    } else if (_origin.kind == origin_kind::source) {
        b.property = is_plain ? record_property(s.name) : s.name;
    } else if (is_plain && s.name == "PartitionKey") {
        b.what = meaning::partition_key;
    } else if (is_plain && s.name == "RowKey") {
        b.what = meaning::row_key;
    } else if (is_plain && s.name == "Timestamp") {
        b.what = meaning::timestamp;
    } else {
        b.is_level = is_plain && s.name == "level";
    }
    return b;
}

// A level is compared by severity whatever it was stored as; a text that is no level is no value.
std::optional<value> row_matcher::told(const binding& b, std::optional<value> v) {
    if (!b.is_level || !v || v->type() != value_type::string) {
        return v;
    }
    const auto severity = base::parse_level(v->as_string());
    return severity ? std::optional(value::of_int32(*severity)) : std::nullopt;
}

std::optional<value> row_matcher::property_value(binding& b, const tables::row_view& row) {
    if (row.size() == 0) {
        return std::nullopt;
    }
    const auto& shape = row.of_shape();
    if (b.column >= shape.size() || shape[b.column].name != b.property) {
        const auto found = shape.find(b.property);
        if (!found) {
            return std::nullopt;
        }
        b.column = *found;
    }
    return row[b.column].value;
}

struct row_matcher::row_slots {
    row_matcher& of;
    int64_t time_ns;
    const tables::entity_view& entity;

    std::optional<value> value_of(size_t slot) {
        auto& b = of._bindings[slot];
        switch (b.what) {
        case meaning::time: return value::of_int64(time_ns);
        case meaning::origin_name: return value::of_string(of._origin.name);
        case meaning::partition_key: return value::of_string(entity.partition_key);
        case meaning::row_key: return value::of_string(entity.row_key);
        case meaning::timestamp: return value::of_datetime(entity.timestamp);
        case meaning::nothing: return std::nullopt;
        case meaning::property: return told(b, property_value(b, entity.properties));
        case meaning::tag:
        case meaning::tag_or_property: break;
        }
        if (b.tag != nullptr) {
            return told(b, value::of_string(*b.tag));
        }
        return b.what == meaning::tag ? std::nullopt : told(b, property_value(b, entity.properties));
    }
};

struct row_matcher::block final : stats_source {
    block(const row_matcher& m, block_stats& s) : of(m), stats(s) {}

    std::optional<property_stats> find(const subject& s) const override {
        const auto b = of.bind(s);
        if (b.is_level) {
            return std::nullopt;
        }
        switch (b.what) {
        case meaning::property: return stats.property(b.property);
        case meaning::tag_or_property: return stats.property_or_tag(b.property);
        case meaning::nothing: return property_stats{};
        default: return std::nullopt;
        }
    }

    const row_matcher& of;
    block_stats& stats;
};

bool row_matcher::can_match(const tables::segment_view& segment, size_t number) const {
    block_stats stats(segment, number);
    return query::can_match(_program.condition(), block(*this, stats));
}

verdict row_matcher::enter(std::string_view partition_key) {
    if (!looks_at_series() || !_series.enter(partition_key, _spread)) {
        return _verdict;
    }
    for (auto& b : _bindings) {
        b.tag = _series.find(b.name);
    }
    partition_slots slots{*this};
    return _verdict = _program.foresee(slots);
}

bool row_matcher::matches(int64_t time_ns, const tables::entity_view& entity) {
    enter(entity.partition_key);
    if (_verdict != verdict::depends) {
        return _verdict == verdict::yes;
    }
    row_slots slots{*this, time_ns, entity};
    return _program.matches(slots);
}

} // namespace query
