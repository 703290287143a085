#include "query/core/native/aggregator.hh"

#include <algorithm>

#include "base/coding.hh"
#include "base/spread.hh"
#include "query/core/native/stored_columns.hh"
#include "tables/core/key.hh"

namespace query {
namespace {

// A cell and what holds it in the map, besides its states.
constexpr size_t cell_bytes = 160;
constexpr size_t track_bytes = 256;
// A group of records, and what finds it.
constexpr size_t group_bytes = 256;
// Cells, or counters, between looks at others who want the core.
constexpr size_t merged_per_step = 64;

// Whether rows of one series come newest first when the tables of the first part's origin are read newest first: not where the
// series is spread over partitions, nor where periods overlap because their length was changed.
bool are_in_order(std::span<const table_part> parts) {
    int64_t covered_until = time_range::always;
    for (const auto& part : parts) {
        if (part.origin != parts.front().origin) {
            break;
        }
        if (part.spread > 1 || part.covers.start_ns < covered_until) {
            return false;
        }
        covered_until = part.covers.end_ns;
    }
    return true;
}

} // namespace

std::string encode_group(const bucket_key::group_key& group) {
    std::string bytes;
    for (const auto& value : group) {
        bytes += value ? '\1' : '\0';
        if (value) {
            base::put_bytes(bytes, *value);
        }
    }
    return bytes;
}

base::expected<bucket_key::group_key> decode_group(std::string_view bytes, size_t values_count) {
    base::byte_reader in(bytes);
    bucket_key::group_key group;
    for (size_t i = 0; i < values_count; ++i) {
        const bool is_there = in.fixed<uint8_t>() != 0;
        group.push_back(is_there ? std::optional<std::string>(in.bytes()) : std::nullopt);
    }
    return in.done() ? base::expected<bucket_key::group_key>(std::move(group))
                     : base::fail(base::errc::invalid_argument, "cursor: not a cursor of this query");
}

aggregator::aggregator(const plan& p, size_t exact_bytes_max)
    : _plan(p), _asked(*p.asked.aggregates), _exact_bytes_max(exact_bytes_max) {
    for (const auto& call : _asked.calls) {
        _slot_of_call.push_back(slot_for(call));
    }
    for (uint32_t i = 0; i < p.parts.size(); ++i) {
        const auto& part = p.parts[i];
        part_columns columns;
        for (const auto& s : _slots) {
            columns.names.push_back(stored_name(p.origin_of(part).kind, s.field));
        }
        columns.guesses.resize(_slots.size());
        const bool is_of_last = i > 0 && part.origin == p.parts[i - 1].origin;
        columns.is_in_order = is_of_last ? _parts.back().is_in_order : are_in_order(std::span(p.parts).subspan(i));
        _parts.push_back(std::move(columns));
    }
    _counters.resize(_slots.size());
    _counts_tag.resize(_slots.size());
    _looks_at_tags = !_asked.by_tags.empty() || std::ranges::contains(_slots, state_kind::count, &slot::kind);
}

size_t aggregator::slot_for(const aggregate_call& call) {
    const slot wanted{call.field.empty() ? state_kind::rows : state_of(call.kind), call.field, call.is_field_only};
    const auto found = std::ranges::find(_slots, wanted);
    if (found != _slots.end()) {
        return static_cast<size_t>(found - _slots.begin());
    }
    _slots.push_back(wanted);
    return _slots.size() - 1;
}

int64_t aggregator::bucket_of(int64_t time_ns) const {
    return _asked.every_ns ? _asked.bucket_of(time_ns) : _plan.asked.range.start_ns;
}

void aggregator::enter_partition(uint32_t part, std::string_view partition_key) {
    if (part == _part && partition_key == _partition_key) {
        return;
    }
    _part = part;
    _partition_key = partition_key;
    _cell = nullptr;
    const auto& here = _plan.parts[part];
    const auto& from = _plan.origin_of(here);
    const bool is_family = from.kind == origin_kind::family;
    const auto text = tables::uncollate(partition_key, _partition_text);
    if (_looks_at_tags) {
        _series.enter(is_family ? text : std::string_view(), here.spread);
    }
    for (size_t i = 0; i < _slots.size(); ++i) {
        const auto& s = _slots[i];
        _counts_tag[i] = s.kind == state_kind::count && !s.is_field_only && _series.find(s.field) != nullptr;
    }
    _group.clear();
    for (const auto& name : _asked.by_tags) {
        const std::string_view origin_name = from.name;
        const auto* value = name == query::name(from.kind) ? &origin_name : _series.find(name);
        _group.push_back(value != nullptr ? std::optional<std::string>(*value) : std::nullopt);
    }
    std::string_view series = text;
    if (here.spread > 1) {
        base::take_spread_suffix(series);
    }
    enter_counters(series, !_parts[part].is_in_order);
}

void aggregator::enter_counters(std::string_view series, bool keeps_samples) {
    if (can_add_columns()) {
        return; // there are none
    }
    const auto name = std::to_string(_plan.parts[_part].origin) + ' ' + std::string(series);
    for (size_t i = 0; i < _slots.size(); ++i) {
        if (_slots[i].kind == state_kind::steps) {
            const auto [found, is_new] = _tracks.try_emplace({i, name});
            found->second.group = _group;
            found->second.keeps_samples = keeps_samples;
            _bytes += is_new ? track_bytes + name.size() : 0;
            _counters[i] = &found->second;
        }
    }
}

aggregator::cell& aggregator::cell_at(bucket_key::borrowed key) {
    return cell_near(_cells.lower_bound(key), key)->second;
}

aggregator::cell_map::iterator aggregator::cell_near(cell_map::iterator place, bucket_key::borrowed key) {
    if (place != _cells.end() && place->first.time_ns == key.time_ns && place->first.group == key.group) {
        return place;
    }
    const auto cells_before = _cells.size();
    const auto found = _cells.try_emplace(place, bucket_key{key.time_ns, key.group});
    if (_cells.size() != cells_before) {
        found->second.resize(_slots.size());
        _bytes += cell_bytes + _slots.size() * sizeof(aggregate_state);
        for (const auto& value : key.group) {
            _bytes += sizeof value + (value ? value->size() : 0);
        }
    }
    return found;
}

void aggregator::enter_cell(int64_t bucket) {
    if (_cell == nullptr || bucket != _cell_time) {
        _cell = &cell_at({bucket, _group});
        _cell_time = bucket;
    }
}

std::optional<tables::value> aggregator::value_of(size_t slot, const tables::row_view& row) {
    auto& columns = _parts[_part];
    if (!columns.names[slot] || row.size() == 0) {
        return std::nullopt;
    }
    const auto& shape = row.of_shape();
    auto& column = columns.guesses[slot];
    if (column >= shape.size() || shape[column].name != *columns.names[slot]) {
        const auto found = shape.find(*columns.names[slot]);
        if (!found) {
            return std::nullopt;
        }
        column = *found;
    }
    return row[column].value;
}

void aggregator::add_value(size_t slot, int64_t time_ns, const tables::value& value) {
    const auto kind = _slots[slot].kind;
    if (kind == state_kind::steps) {
        if (const auto n = number::of(value)) {
            follow_counter(*_counters[slot], slot, time_ns, n->real);
        }
        return;
    }
    auto& state = (*_cell)[slot];
    const auto before = state.heap_bytes();
    state.add(kind, time_ns, value);
    count_values(state, before);
}

// What it holds on to, after some were added: values for percentiles, or a text that is first or last. May be less than before.
void aggregator::count_values(aggregate_state& state, size_t bytes_before) {
    auto* values = state.values();
    if (values == nullptr) {
        _bytes += state.heap_bytes() - bytes_before;
        return;
    }
    if (!_is_exact) {
        values->condense();
    }
    _values_bytes += values->bytes() - bytes_before;
}

bool aggregator::wants_newest_only() const {
    return !_asked.every_ns &&
           std::ranges::all_of(_asked.calls, [](auto kind) { return kind == aggregate_kind::last; }, &aggregate_call::kind);
}

bool aggregator::add(uint32_t part, std::string_view partition_key, int64_t time_ns, const tables::row_view& row) {
    enter_partition(part, partition_key);
    enter_cell(bucket_of(time_ns));
    bool has_all = true;
    for (size_t i = 0; i < _slots.size(); ++i) {
        if (_slots[i].kind == state_kind::rows || _counts_tag[i]) {
            (*_cell)[i].add_rows(1);
        } else if (const auto value = value_of(i, row)) {
            add_value(i, time_ns, *value);
        } else {
            has_all = false;
        }
    }
    condense_if_large();
    return has_all;
}

// A counter is followed row by row, newest first over all tables; columns come in another order.
bool aggregator::can_add_columns() const {
    return !std::ranges::contains(_slots, state_kind::steps, &slot::kind);
}

// One for each slot; a name no property has stands for rows, and for what no row can have.
std::vector<std::string> aggregator::columns_of(uint32_t part) const {
    std::vector<std::string> names;
    for (size_t i = 0; i < _slots.size(); ++i) {
        const auto& name = _parts[part].names[i];
        names.push_back(_slots[i].kind != state_kind::rows && name ? *name : std::string());
    }
    return names;
}

void aggregator::add_columns(uint32_t part, std::string_view partition_key, std::span<const int64_t> times,
                             std::span<const std::vector<tables::typed_array>> columns, size_t begin) {
    enter_partition(part, partition_key);
    while (!times.empty()) {
        const int64_t bucket = bucket_of(times.front());
        // Newest first: the rows of a bucket are those not before it.
        const auto end =
            std::partition_point(times.begin(), times.end(), [&](int64_t t) { return !_asked.every_ns || t >= bucket; });
        const auto some = times.first(static_cast<size_t>(end - times.begin()));
        enter_cell(bucket);
        for (size_t i = 0; i < _slots.size(); ++i) {
            auto& state = (*_cell)[i];
            if (_slots[i].kind == state_kind::rows || _counts_tag[i]) {
                state.add_rows(some.size());
                continue;
            }
            for (const auto& column : columns[i]) {
                const auto before = state.heap_bytes();
                state.add_column(_slots[i].kind, some, column, begin);
                count_values(state, before);
            }
        }
        begin += some.size();
        times = times.subspan(some.size());
    }
    condense_if_large();
}

bool aggregator::can_add_known() const {
    return std::ranges::all_of(_slots, [](const slot& s) {
        return s.kind == state_kind::rows || s.kind == state_kind::count || s.kind == state_kind::extremes;
    });
}

bool aggregator::add_known(uint32_t part, time_range times, const tables::known_rows& rows) {
    const auto is_enough = [&](const slot& s) {
        return s.kind == state_kind::rows || (rows.columns && (s.kind == state_kind::count || s.kind == state_kind::extremes));
    };
    const int64_t bucket = bucket_of(times.start_ns);
    if (bucket_of(times.end_ns - 1) != bucket || !std::ranges::all_of(_slots, is_enough)) {
        return false;
    }
    enter_partition(part, rows.partition_key);
    enter_cell(bucket);
    for (size_t i = 0; i < _slots.size(); ++i) {
        auto& state = (*_cell)[i];
        if (_slots[i].kind == state_kind::rows || _counts_tag[i]) {
            state.add_rows(rows.rows_count);
            continue;
        }
        for (const auto& range : (*rows.columns)[i]) {
            state.add_range(_slots[i].kind, range);
        }
    }
    return true;
}

// The counters of a group are those of a series: whatever order its rows come in, and from whichever shard.
size_t aggregator::group_number(uint32_t part, bucket_key::group_key key) {
    _part = part;
    _partition_key.clear();
    _group = std::move(key);
    const auto name = encode_group(_group);
    enter_counters(name, true);
    _groups.push_back({_group, _counters, nullptr, 0});
    _bytes += group_bytes + 2 * name.size();
    _part = UINT32_MAX; // no partition is entered
    return _groups.size() - 1;
}

void aggregator::add(size_t group, int64_t time_ns, std::span<const std::optional<tables::value>> values) {
    auto& to = _groups[group];
    if (const int64_t bucket = bucket_of(time_ns); to.last_cell == nullptr || bucket != to.last_cell_time) {
        to.last_cell = &cell_at({bucket, to.key});
        to.last_cell_time = bucket;
    }
    _part = UINT32_MAX;
    _cell = to.last_cell;
    for (size_t i = 0; i < _slots.size(); ++i) {
        if (_slots[i].kind == state_kind::rows) {
            (*_cell)[i].add_rows(1);
        } else if (values[i]) {
            _counters[i] = to.counters[i];
            add_value(i, time_ns, *values[i]);
        }
    }
    condense_if_large();
}

void aggregator::follow_counter(track& t, size_t slot, int64_t time_ns, double value) {
    const std::pair here{time_ns, value};
    if (t.keeps_samples) {
        t.samples.push_back(here);
        _bytes += sizeof here;
        return;
    }
    if (t.newer) {
        add_step(t, slot, here, *t.newer);
    }
    t.newer = here;
}

// A counter that went down was set back to zero in between, and has come up to where it is since. The step counts where it ends.
void aggregator::add_step(const track& t, size_t slot, std::pair<int64_t, double> older, std::pair<int64_t, double> newer) {
    const double increase = newer.second >= older.second ? newer.second - older.second : newer.second;
    cell_at({bucket_of(newer.first), t.group})[slot].add_step(increase);
}

void aggregator::condense_if_large() {
    if (_values_bytes <= _exact_bytes_max) {
        return;
    }
    _is_exact = false;
    _exact_bytes_max = SIZE_MAX; // from now on every value goes into a sketch
    _values_bytes = 0;
    for (auto& [key, states] : _cells) {
        for (auto& state : states) {
            if (auto* values = state.values()) {
                values->condense();
                _values_bytes += values->bytes();
            }
        }
    }
}

void aggregator::merging::add_cell() {
    const auto& [key, theirs] = *_cell++;
    _near = _to.cell_near(_near, {key.time_ns, key.group});
    auto& ours = (_near++)->second;
    for (size_t i = 0; i < _to._slots.size(); ++i) {
        const auto before = ours[i].heap_bytes();
        ours[i].merge(_to._slots[i].kind, theirs[i]);
        (ours[i].values() != nullptr ? _to._values_bytes : _to._bytes) += ours[i].heap_bytes() - before;
    }
}

void aggregator::merging::add_track() {
    const auto& [key, theirs] = *_track++;
    auto& ours = _to._tracks[key];
    ours.group = theirs.group;
    ours.keeps_samples = theirs.keeps_samples;
    ours.samples.insert(ours.samples.end(), theirs.samples.begin(), theirs.samples.end());
    _to._bytes += track_bytes + theirs.samples.size() * sizeof(theirs.samples[0]);
}

bool aggregator::merging::step() {
    for (size_t i = 0; i < merged_per_step; ++i) {
        if (_cell != _from._cells.end()) {
            add_cell();
        } else if (_track != _from._tracks.end()) {
            add_track();
        } else {
            _to._is_exact &= _from._is_exact;
            _to.condense_if_large();
            return false;
        }
    }
    return true;
}

bool aggregator::finish_some() {
    if (_tracks.empty()) {
        return false;
    }
    auto one = _tracks.extract(_tracks.begin());
    auto& t = one.mapped();
    std::ranges::sort(t.samples, std::greater());
    for (size_t i = 0; i + 1 < t.samples.size(); ++i) {
        add_step(t, one.key().first, t.samples[i + 1], t.samples[i]);
    }
    return true;
}

std::vector<const aggregator::cell_map::value_type*> aggregator::cells(const std::optional<bucket_key>& after,
                                                                       size_t count) const {
    std::vector<const cell_map::value_type*> chosen;
    const auto take = [&](auto from, auto to) {
        for (; from != to && chosen.size() < count; ++from) {
            chosen.push_back(&*from);
        }
    };
    if (_plan.asked.order == order_kind::ascending) {
        take(after ? _cells.upper_bound(*after) : _cells.begin(), _cells.end());
    } else {
        take(after ? std::reverse_iterator(_cells.lower_bound(*after)) : _cells.rbegin(), _cells.rend());
    }
    return chosen;
}

void aggregator::tell(const cell_map::value_type& one, result& r) const {
    const auto& [key, states] = one;
    const auto& range = _plan.asked.range;
    const bool has_time = _asked.every_ns || range.start_ns != time_range::always;
    r.time_ns = has_time ? std::optional(key.time_ns) : std::nullopt;
    r.tags.clear();
    for (size_t i = 0; i < _asked.by_tags.size(); ++i) {
        if (key.group[i]) {
            r.tags.emplace_back(_asked.by_tags[i], *key.group[i]);
        }
    }
    const bool is_bounded = range.start_ns != time_range::always && range.end_ns != time_range::forever;
    const double length_ns = _asked.every_ns ? static_cast<double>(*_asked.every_ns)
                             : is_bounded    ? static_cast<double>(range.end_ns) - static_cast<double>(range.start_ns)
                                             : 0;
    r.fields.clear();
    for (size_t i = 0; i < _asked.calls.size(); ++i) {
        if (auto v = states[_slot_of_call[i]].result(_asked.calls[i].kind, length_ns / 1e9)) {
            r.fields.emplace_back(_asked.calls[i].label, std::move(*v));
        }
    }
}

} // namespace query
