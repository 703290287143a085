#include "tables/column_scan.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>

namespace tables {
namespace {

constexpr value_type types[] = {value_type::int32,   value_type::int64,  value_type::datetime, value_type::real,
                                value_type::boolean, value_type::string, value_type::binary,   value_type::guid};

// The part of a range with time keys from `newest` to `oldest`.
key_range narrowed(const key_range& range, base::tick newest, base::tick oldest) {
    const auto& pk = range.from.partition_key;
    key_range part{std::max(range.from, entity_key{pk, base::inverted_text(newest)}), range.before};
    if (oldest > base::tick{0}) {
        const entity_key behind{pk, base::inverted_text(base::tick{oldest.value - 1})};
        part.before = range.before ? std::min(*range.before, behind) : behind;
    }
    return part;
}

// What its directory and index say of rows is so: none of them stands for a row that was deleted.
bool has_only_timed_rows(const segment& s) {
    return s.facts().text_keys_count == 0 && s.facts().removes_count == 0;
}

bool is_empty(const key_range& r) {
    return r.before && *r.before <= r.from;
}

} // namespace

seastar::future<base::expected<column_visit_end>> column_scan::run() {
    for (const auto& range : _request.ranges) {
        if (!_visitor.wants_more()) {
            break;
        }
        if (auto done = co_await visit_partition(range); !done) {
            co_return std::unexpected(done.error());
        }
        co_await seastar::coroutine::maybe_yield();
    }
    co_return std::move(_end);
}

seastar::future<base::expected<bool>> column_scan::find_sources(std::string_view partition_key) {
    _sources.clear();
    for (const auto& m : _view.memtables) {
        const memtable::partition_cursor at(*m, partition_key);
        if (at.is_end() || at.key() != partition_key) {
            continue;
        }
        if (!at.newest()) {
            co_return false;
        }
        _sources.push_back({*at.newest(), *at.oldest(), nullptr, 0});
    }
    for (const auto& s : _view.segments) {
        const auto number = s->is_ours(partition_key) ? s->view().locate_page(partition_key) : std::nullopt;
        if (!number) {
            continue;
        }
        auto page = s->page_at_hand(*number);
        if (!page) {
            auto loaded = co_await s->page(*number);
            if (!loaded && _request.passes_damage && is_damage(loaded.error())) {
                co_return false; // the blocks may be good
            }
            if (!loaded) {
                co_return std::unexpected(loaded.error());
            }
            page = std::move(*loaded);
        }
        const auto found = page->partitions().find(partition_key);
        if (!found) {
            continue;
        }
        const auto partition = page->partitions()[*found];
        if (!partition.newest) {
            co_return false;
        }
        _sources.push_back({*partition.newest, *partition.oldest, s.get(), partition.rows_count});
    }
    co_return true;
}

// Sources that overlap in time are one stretch, for a scan by row; a segment alone is shown.
seastar::future<base::expected<void>> column_scan::visit_partition(const key_range& range) {
    const auto has_times = co_await find_sources(range.from.partition_key);
    if (!has_times) {
        co_return std::unexpected(has_times.error());
    }
    if (!*has_times) {
        _end.left.push_back(range);
        co_return base::expected<void>();
    }
    std::ranges::sort(_sources, std::greater(), &source::newest);
    for (size_t i = 0; i < _sources.size();) {
        size_t end = i + 1;
        auto oldest = _sources[i].oldest;
        for (; end < _sources.size() && _sources[end].newest >= oldest; ++end) {
            oldest = std::min(oldest, _sources[end].oldest);
        }
        auto part = narrowed(range, _sources[i].newest, oldest);
        const auto& first = _sources[i];
        const bool is_alone = end == i + 1 && first.from != nullptr;
        i = end;
        if (is_empty(part) || (is_alone && take_partition(first, range))) {
            continue;
        }
        if (!is_alone) {
            _end.left.push_back(std::move(part));
            continue;
        }
        if (auto done = co_await visit_segment(*first.from, std::move(part)); !done) {
            co_return done;
        }
    }
    co_return base::expected<void>();
}

bool column_scan::take_partition(const source& s, const key_range& range) {
    if (!_visitor.takes_known_rows() || !has_only_timed_rows(*s.from)) {
        return false;
    }
    const entity_key first{range.from.partition_key, base::inverted_text(s.newest)};
    // All that begins with the oldest tick is before that text with something behind any digit.
    const entity_key last{range.from.partition_key, base::inverted_text(s.oldest) + '\xff'};
    return range.from <= first && (!range.before || last < *range.before) &&
           _visitor.take({range.from.partition_key, s.rows_count, s.newest, s.oldest, std::nullopt});
}

bool column_scan::take_block(const segment& s, size_t block, const key_range& range) {
    if (!_visitor.takes_known_rows() || !has_only_timed_rows(s)) {
        return false;
    }
    const auto info = s.view().block(block);
    const auto& pk = range.from.partition_key;
    const bool is_within =
        info.first_partition_key == pk && info.last_partition_key == pk && range.from.row_key <= info.first_row_key &&
        (!range.before || std::pair(std::string_view(pk), info.last_row_key) <
                              std::pair<std::string_view, std::string_view>(range.before->partition_key, range.before->row_key));
    if (!is_within) {
        return false;
    }
    std::vector<std::vector<typed_range>> columns(_request.columns.size());
    for (size_t c = 0; c < columns.size(); ++c) {
        for (const auto& [type, id] : _columns[c]) {
            if (const auto values = s.view().range(block, id)) {
                columns[c].push_back({type, *values});
            }
        }
    }
    return _visitor.take({pk, info.rows_count, *info.newest, *info.oldest, columns});
}

void column_scan::enter(const segment& s) {
    if (_entered == &s) {
        return;
    }
    _entered = &s;
    _ids.clear();
    _columns.assign(_request.columns.size(), {});
    _shown.resize(_columns.size());
    for (size_t c = 0; c < _columns.size(); ++c) {
        for (const auto type : types) {
            if (const auto id = s.view().schema().find(_request.columns[c], type)) {
                _ids.push_back(*id);
                _columns[c].push_back({type, *id});
            }
        }
    }
}

seastar::future<base::expected<void>> column_scan::visit_segment(segment& s, key_range range) {
    enter(s);
    const auto blocks = s.view().locate(range);
    for (size_t i = blocks.begin; i < blocks.end && _visitor.wants_more(); ++i) {
        if (take_block(s, i, range)) {
            continue;
        }
        const auto info = s.view().block(i);
        ++_end.blocks_read;
        if (_block.from != &s || _block.number != i) {
            auto block = co_await s.columns(i, _ids);
            if (!block && _request.passes_damage && is_damage(block.error())) {
                _end.damage.push_back(s.lost_block(i, block.error()));
                continue;
            }
            if (!block) {
                co_return std::unexpected(block.error());
            }
            _block = {&s, i, std::move(*block)};
        }
        const auto& columns = _block.columns->columns();
        const bool can_show = info.text_keys_count == 0 && !columns.has_removes();
        if (!can_show || !show(columns, range)) {
            entity_key first{std::string(info.first_partition_key), std::string(info.first_row_key)};
            auto behind = entity_key{std::string(info.last_partition_key), std::string(info.last_row_key)}.successor();
            key_range part{std::max(range.from, first), std::min(*range.before, behind)};
            if (!is_empty(part)) {
                _end.left.push_back(std::move(part));
            }
        }
        co_await seastar::coroutine::maybe_yield();
    }
    co_return base::expected<void>();
}

bool column_scan::show(const block_columns& block, const key_range& range) {
    const auto& partitions = block.partitions();
    const auto run = partitions.run_of(range.from.partition_key);
    if (!run) {
        return true;
    }
    // Ticks descend; keys that begin with one sort like it, so the range is a stretch of rows, told to the tick.
    const auto ticks = block.ticks();
    const auto begin = ticks.begin() + partitions.begin(*run);
    const auto end = ticks.begin() + partitions.ends[*run];
    const auto from = base::parse_inverted(range.from.row_key);
    const auto before = base::parse_inverted(range.before->row_key);
    const auto first = from ? std::partition_point(begin, end, [&](int64_t t) { return t > from->value; }) : begin;
    const auto last = before ? std::partition_point(first, end, [&](int64_t t) { return t > before->value; }) : end;
    if (first == last) {
        return true;
    }
    for (size_t c = 0; c < _columns.size(); ++c) {
        _shown[c].clear();
        for (const auto& [type, id] : _columns[c]) {
            if (const auto* array = block.find(id)) {
                _shown[c].push_back({type, array});
            }
        }
    }
    const auto at = [&](auto it) { return static_cast<size_t>(it - ticks.begin()); };
    const bool is_taken = _visitor.visit({range.from.partition_key, block, at(first), at(last), _shown});
    _end.rows_examined += is_taken ? static_cast<size_t>(last - first) : 0;
    return is_taken;
}

} // namespace tables
