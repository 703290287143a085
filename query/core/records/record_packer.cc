#include "query/core/records/record_packer.hh"

#include <algorithm>

#include <fmt/format.h>

#include "query/core/native/record_row.hh"
#include "query/core/native/stored_columns.hh"
#include "query/core/records/shown_text.hh"
#include "tables/core/family/point_key.hh"
#include "tables/core/limits.hh"

namespace query {

using tables::value;

std::string record_key(const blobs::record_order& order) {
    const auto time = tables::point_key(order.time_ns);
    return fmt::format("{}-{:04x}-{:016x}", tables::view(time), order.lane, order.sequence);
}

record_packer::record_packer(const plan& p, uint32_t part) : _columns(stored_columns(p, part)), _rows(p.parts[part].id) {}

bool record_packer::is_wanted(std::string_view property) const {
    return !_columns || std::ranges::contains(*_columns, property);
}

std::string_view record_packer::shown(std::string_view text) {
    std::string repaired;
    const auto fine = shown_text(text, repaired);
    return fine.data() == text.data() ? text : std::string_view(_repaired.emplace_back(std::move(repaired)));
}

void record_packer::add_text(std::string_view property, std::string_view text) {
    if (!text.empty() && is_wanted(property)) {
        _properties.push_back({property, value::of_string(shown(text))});
    }
}

void record_packer::add(const blobs::record& r, std::string_view key) {
    _properties.clear();
    _repaired.clear();
    _repaired.reserve(3 + r.fields.size()); // what is shown stays where it is
    add_text("!app", r.app);
    add_text("!host", r.host);
    if (r.level != blobs::level_none && is_wanted("!level")) {
        _properties.push_back({"!level", value::of_int32(r.level)});
    }
    add_text("!message", r.message);
    for (const auto& f : r.fields) {
        // A row holds no more than an entity does; the text of the record has them all.
        if (_properties.size() == tables::properties_max) {
            break;
        }
        if (!f.name.starts_with(record_mark) && is_wanted(f.name)) {
            const bool is_text = f.value.type() == tables::value_type::string;
            _properties.push_back({f.name, is_text ? value::of_string(shown(f.value.as_string())) : f.value});
        }
    }
    std::ranges::sort(_properties, {}, &tables::property::name);
    const auto same = std::ranges::unique(_properties, {}, &tables::property::name);
    _properties.erase(same.begin(), same.end());
    _rows.add(tables::row_kind::put, {}, key, _properties);
}

} // namespace query
