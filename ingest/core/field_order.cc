#include "ingest/core/field_order.hh"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "ingest/core/limits.hh"
#include "tables/core/family/property_name.hh"

namespace ingest {

std::expected<std::span<const tables::property>, line_fault> field_order::sort(std::span<const tables::property> sent,
                                                                               uint64_t names) {
    if (names == 0 || names != _sent_number) {
        _sent_number = 0;
        if (!is_known(sent)) {
            if (const auto fault = learn(sent); fault != line_fault::none) {
                _sent.clear();
                return std::unexpected(fault);
            }
        }
        _sent_number = names;
    }
    assert(sent.size() == _sent.size());
    _text_bytes = 0;
    for (size_t i = 0; i < sent.size(); ++i) {
        const auto& value = sent[i].value;
        _sorted[_places[i]].value = value;
        _text_bytes += value.type() == tables::value_type::string ? value.as_string().size() : 0;
    }
    return _sorted;
}

bool field_order::is_known(std::span<const tables::property> sent) const {
    return std::ranges::equal(sent, _sent, {}, &tables::property::name, [](const std::string& s) { return std::string_view(s); });
}

line_fault field_order::learn(std::span<const tables::property> sent) {
    assert(sent.size() <= fields_max);
    _sent.clear();
    _names.clear();
    _sorted.clear();
    for (const auto& field : sent) {
        _sent.emplace_back(field.name);
        if (!tables::append_property_name(field.name, _names.emplace_back())) {
            return line_fault::property_name_too_long;
        }
    }
    std::vector<uint16_t> order(sent.size());
    std::iota(order.begin(), order.end(), uint16_t{0});
    std::ranges::sort(order, {}, [&](uint16_t i) { return std::string_view(_names[i]); });
    _places.resize(sent.size());
    for (const auto i : order) {
        _places[i] = static_cast<uint16_t>(_sorted.size());
        _sorted.emplace_back(_names[i], sent[i].value);
    }
    return line_fault::none;
}

} // namespace ingest
