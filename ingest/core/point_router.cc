#include "ingest/core/point_router.hh"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/placement.hh"
#include "base/spread.hh"
#include "ingest/core/limits.hh"
#include "tables/core/limits.hh"

namespace ingest {
namespace {

// Below this no limit of an entity can be met: texts of at most 16 KiB count 32 KiB, and 252 numbers with the longest names less
// than 200 KiB.
constexpr size_t unchecked_text_bytes = 16'384;
static_assert(unchecked_text_bytes <= tables::string_units_max);

} // namespace

std::string for_table(base::table_id table, const std::string& batch) {
    const auto rows = tables::row_batch_reader::open(batch);
    assert(rows && "we have just made it");
    tables::row_batch_builder copy(table);
    for (const auto& row : *rows) {
        copy.add_row(row.kind, row.partition_key, row.row_key, row.row);
    }
    return copy.take();
}

point_router::point_router(family_index& index, unsigned shards_count, base::placement placement)
    : _index(index), _shards_count(shards_count), _placement(placement), _key(tables::point_key(_key_time)) {}

line_fault point_router::route(const point_view& point, series_cache& cache, int64_t now_ns) {
    const int64_t time_ns = point.time_ns.value_or(now_ns);
    const auto found = _index.find(point.family, time_ns, now_ns);
    if (!found) {
        return found.error();
    }
    auto& table = **found;
    const auto series = point.series != nullptr ? std::expected<series_key*, line_fault>(point.series) : cache.series_of(point);
    if (!series) {
        return series.error();
    }
    auto& key = **series;
    if (key.admitted != table.serial) {
        if (!_index.admit_series(table, key.hash)) {
            return line_fault::too_many_series;
        }
        key.admitted = table.serial;
    }
    auto& order = _orders[table.index % orders_count];
    const auto fields = order.sort(point.fields, point.names);
    if (!fields) {
        return fields.error();
    }
    if (order.text_bytes() > unchecked_text_bytes) {
        if (const auto fault = check_size(key.text, *fields); fault != line_fault::none) {
            return fault;
        }
    }
    std::string_view partition_key = key.text;
    unsigned owner = 0;
    if (table.spread > 1) {
        _spread_key = key.text;
        base::append_spread_suffix(base::spread_bucket(time_ns, table.spread), _spread_key);
        partition_key = _spread_key;
        owner = _placement.shard_of(partition_key, _shards_count);
    } else {
        owner = base::shard_of_slot(static_cast<uint8_t>(key.hash >> 56), _shards_count); // as placement has it of any whole key
    }
    if (time_ns != _key_time) {
        _key_time = time_ns;
        _key = tables::point_key(time_ns);
    }
    auto& target = slot_for(table, owner);
    target.rows->add(tables::row_kind::merge, partition_key, tables::view(_key), *fields);
    table.is_written = true;
    if (target.rows->bytes().size() >= batch_bytes_max) {
        cut(static_cast<uint32_t>(&target - _slots.data()));
    }
    return line_fault::none;
}

point_router::slot& point_router::slot_for(const period_table& table, unsigned owner) {
    const size_t index = size_t{table.index} * _shards_count + owner;
    if (index >= _slots.size()) {
        _slots.resize((size_t{table.index} + 1) * _shards_count);
    }
    auto& s = _slots[index];
    if (!s.rows || s.table != table.id) {
        assert(!s.rows || s.rows->empty());
        s.table = table.id;
        s.rows.emplace(table.id);
    }
    if (s.rows->empty()) {
        _touched.push_back(static_cast<uint32_t>(index));
        s.missing = table.id.value == 0 ? std::optional(need_of(table)) : std::nullopt;
    }
    return s;
}

void point_router::cut(uint32_t slot_index) {
    auto& s = _slots[slot_index];
    const auto count = s.rows->rows_count();
    _full.push_back({slot_index % _shards_count, s.rows->take(), count, s.missing});
}

void point_router::drain(std::vector<routed_rows>& out) {
    for (const auto index : _touched) {
        if (!_slots[index].rows->empty()) {
            cut(index);
        }
    }
    _touched.clear();
    std::ranges::move(_full, std::back_inserter(out));
    _full.clear();
}

line_fault point_router::check_size(std::string_view partition_key, std::span<const tables::property> fields) const {
    for (const auto& field : fields) {
        if (!tables::check_value(field.value)) {
            return line_fault::entity_too_large;
        }
    }
    const size_t key_units = tables::utf16_length(tables::uncollate(partition_key)) + tables::point_key_bytes;
    const bool fits = tables::entity_bytes(key_units, fields) <= tables::entity_bytes_max;
    return fits ? line_fault::none : line_fault::entity_too_large;
}

} // namespace ingest
