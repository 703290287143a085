#include "query/core/native/row_decoder.hh"

#include <algorithm>

#include "base/level.hh"
#include "query/core/native/record_row.hh"
#include "tables/core/family/property_name.hh"
#include "tables/core/key.hh"

namespace query {
namespace {

// Rows that all differ in shape would make as many plans; it is cheaper to forget.
constexpr size_t shapes_known_max = 1'000;

} // namespace

row_decoder::row_decoder(const plan& p) : _plan(p) {}

bool row_decoder::selects(name_scope scope, std::string_view name) const {
    if (!_plan.asked.select) {
        return true;
    }
    return std::ranges::any_of(*_plan.asked.select, [&](const subject& s) {
        return s.name == name && (s.scope == name_scope::any || s.scope == scope);
    });
}

// Of two shapes with one hash the later one takes the place.
const std::vector<row_decoder::field_plan>& row_decoder::plan_for(const tables::shape& shape, origin_kind kind) {
    const std::pair key{shape.hash(), kind};
    if (const auto known = _plans.find(key); known != _plans.end() && known->second.shape == shape) {
        return known->second.fields;
    }
    if (_plans.size() >= shapes_known_max) {
        _plans.clear();
    }
    shape_plan made{shape, {}};
    for (size_t i = 0; i < shape.size(); ++i) {
        const std::string_view property = shape[i].name;
        const bool is_head = kind == origin_kind::source && property.starts_with(record_mark);
        std::string field(is_head ? property.substr(1) : property);
        if (kind == origin_kind::family) {
            field.clear();
            tables::append_field_name(property, field);
        }
        const bool is_selected = selects(is_head ? name_scope::any : name_scope::field, field);
        made.fields.push_back({is_selected, is_head, std::move(field)});
    }
    return _plans.insert_or_assign(key, std::move(made)).first->second.fields;
}

void row_decoder::add_keys(const found_row& r) {
    using tables::value;
    const tables::property keys[] = {{"PartitionKey", value::of_string(tables::uncollate(r.row.partition_key, _partition_key))},
                                     {"RowKey", value::of_string(tables::uncollate(r.row.row_key, _row_key))},
                                     {"Timestamp", value::of_datetime(r.row.timestamp)}};
    for (const auto& key : keys) {
        if (selects(name_scope::any, key.name)) {
            _head.push_back(key);
        }
    }
}

// A record's level has a name.
tables::value row_decoder::shown(const field_plan& column, const tables::value& v) {
    const bool is_level = column.is_head && column.name == "level" && v.type() == tables::value_type::int32;
    const auto name = is_level ? base::level_name(v.as_int32()) : std::nullopt;
    return name ? tables::value::of_string(*name) : v;
}

answer_row row_decoder::decode(const found_row& r) {
    const auto& from = _plan.origins[r.origin];
    _head.clear();
    _fields.clear();
    if (from.kind == origin_kind::family) {
        const auto series = tables::uncollate(r.row.partition_key, _partition_key);
        if (_series.enter(series, _plan.parts[r.part].spread) || _series_part != r.part) {
            _series_part = r.part;
            _tags.clear();
            std::ranges::copy_if(_series.tags(), std::back_inserter(_tags),
                                 [this](const tables::tag& t) { return selects(name_scope::tag, t.name); });
        }
    } else {
        _tags.clear();
        _series_part = UINT32_MAX;
        if (from.kind == origin_kind::table) {
            add_keys(r);
        }
    }
    if (r.row.row.size() > 0) {
        const auto& columns = plan_for(r.row.row.of_shape(), from.kind);
        for (size_t i = 0; i < columns.size(); ++i) {
            if (columns[i].is_selected) {
                auto& to = columns[i].is_head ? _head : _fields;
                to.push_back({columns[i].name, shown(columns[i], r.row.row[i].value)});
            }
        }
    }
    return {r.time_ns, &from, _head, _tags, _fields};
}

} // namespace query
