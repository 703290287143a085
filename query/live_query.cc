#include "query/live_query.hh"

#include <algorithm>
#include <ranges>

#include "base/checksum.hh"
#include "base/coding.hh"
#include "base/spread.hh"
#include "query/core/native/json_encoder.hh"
#include "query/core/native/row_time.hh"
#include "query/core/records/record_packer.hh"
#include "tables/core/key.hh"
#include "tables/core/owned_rows.hh"

namespace query {

uint64_t key_of(const plan& p, const found_row& r) {
    const auto& from = p.origins[r.origin];
    std::string key(1, static_cast<char>(from.kind));
    base::put_bytes(key, from.name);
    base::put_varint(key, p.parts[r.part].id.value);
    base::put_bytes(key, r.row.partition_key);
    key += r.row.row_key;
    return base::stable_hash(key);
}

live_query::live_query(request asked, planner make) : _asked(std::move(asked)), _planner(std::move(make)) {
    make_plan();
}

live_query::reader::reader(const plan& p, uint32_t part)
    : rows(p.where, p.origin_of(p.parts[part]), p.parts[part].spread), records(p.where, p.origin_of(p.parts[part])) {}

void live_query::make_plan() {
    _readers.clear();
    _decoder = nullptr;
    _plan = nullptr;
    // What was looked at stays known, or two that nobody wants would take turns to be planned for.
    std::ranges::fill(_tables | std::views::values, not_wanted);
    std::ranges::fill(_sources | std::views::values, not_wanted);
    auto made = _planner(_asked);
    if (!made) {
        return; // a name that is not there now
    }
    _plan = std::make_unique<plan>(std::move(*made));
    _decoder = std::make_unique<row_decoder>(*_plan);
    _readers.resize(_plan->parts.size());
    for (uint32_t part = 0; part < _plan->parts.size(); ++part) {
        const auto& from = _plan->origin_of(_plan->parts[part]);
        if (from.kind == origin_kind::source) {
            _sources[from.name] = part;
        } else {
            _tables[_plan->parts[part].id.value] = part;
        }
    }
}

uint32_t live_query::part_of(base::table_id table) {
    if (!_tables.contains(table.value)) {
        make_plan();
        _tables.try_emplace(table.value, not_wanted);
    }
    return _tables[table.value];
}

uint32_t live_query::part_of(std::string_view source) {
    const std::string name(source);
    if (!_sources.contains(name)) {
        make_plan();
        _sources.try_emplace(name, not_wanted);
    }
    return _sources[name];
}

live_query::reader& live_query::reader_of(uint32_t part) {
    auto& r = _readers[part];
    if (!r) {
        r = std::make_unique<reader>(*_plan, part);
    }
    return *r;
}

bool live_query::is_wanted(uint32_t part, int64_t time_ns, const tables::batch_row& row) {
    const auto partition_key = tables::uncollate(row.partition_key, _partition_key);
    if (_plan->asked.partition) {
        auto series = partition_key;
        if (_plan->parts[part].spread > 1) {
            base::take_spread_suffix(series);
        }
        if (series != *_plan->asked.partition) {
            return false;
        }
    }
    const tables::entity_view entity{partition_key, tables::uncollate(row.row_key, _row_key), row.timestamp, row.row};
    return _plan->asked.range.contains(time_ns) && reader_of(part).rows.matches(time_ns, entity);
}

void live_query::add(const found_row& r, std::vector<live_row>& found) {
    auto& made = found.emplace_back(r.time_ns, key_of(*_plan, r));
    append_json_row(_decoder->decode(r), made.json);
}

void live_query::add_rows(base::table_id table, const tables::row_batch_reader& rows, std::vector<live_row>& found) {
    const auto part = part_of(table);
    if (part == not_wanted) {
        return;
    }
    const auto origin = _plan->parts[part].origin;
    for (const auto& row : rows) {
        const auto time = row_time(_plan->origins[origin].kind, row.row_key);
        if (time && row.kind != tables::row_kind::remove && is_wanted(part, *time, row)) {
            add({*time, part, origin, row}, found);
        }
    }
}

void live_query::add_record(std::string_view source, const blobs::record& r, std::vector<live_row>& found) {
    const auto part = part_of(source);
    if (part == not_wanted || _plan->asked.partition || !_plan->asked.range.contains(r.order.time_ns) ||
        !reader_of(part).records.matches(r)) {
        return;
    }
    record_packer packer(*_plan, part);
    packer.add(r, record_key(r.order));
    const auto packed = tables::owned_rows::of_built(packer.take());
    add({r.order.time_ns, part, _plan->parts[part].origin, *packed.rows().begin()}, found);
}

} // namespace query
