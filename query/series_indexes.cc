#include "query/series_indexes.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>
#include <seastar/core/metrics.hh>
#include <seastar/coroutine/switch_to.hh>

#include "shard/free_memory.hh"

namespace query {

series_indexes::series_indexes(tables::engine& engine, size_t bytes_max, seastar::scheduling_group group)
    : _engine(engine), _bytes_max(bytes_max), _group(group) {
    register_metrics();
}

void series_indexes::register_metrics() {
    namespace sm = seastar::metrics;
    _metrics.add_group(
        "query",
        {sm::make_gauge(
             "series_index_bytes", [this] { return _bytes; }, sm::description("Memory of the indexes of series by their tags")),
         sm::make_counter("series_index_builds_total", _builds_total,
                          sm::description("Such indexes made for a table, or made again")),
         sm::make_counter(
             "series_index_missing_total", _missing_total,
             sm::description("Questions by tag that had to walk over all partitions: too many, damage, or short of memory"))});
}

seastar::future<series_indexes::index_ptr> series_indexes::current(base::table_id table, unsigned spread) {
    const auto now = _engine.partitions_mark_here(table);
    const auto made = _engine.partitions_made_here(table);
    if (!now) {
        co_return nullptr; // dropped
    }
    const auto made_now = made->load(std::memory_order_relaxed);
    if (!_entries.contains(table)) {
        forget_dropped();
    }
    auto& listed = _entries[table];
    if (!listed) {
        listed = seastar::make_lw_shared<entry>();
    }
    const auto e = listed;
    e->used_at = ++_uses;
    if (e->known < *now) {
        const auto turn = co_await seastar::get_units(e->updating, 1);
        // Who was before us has read what there was when its turn began, which may be before we came.
        if (e->known < *now) {
            co_await update(table, e, spread);
        }
    }
    if (e->index && e->known >= *now) {
        e->index->digest()->set_known(made_now);
    }
    _missing_total += e->index ? 0 : 1;
    co_return e->index;
}

std::shared_ptr<const series_digest> series_indexes::digest_of(base::table_id table) const {
    const auto found = _entries.find(table);
    return found != _entries.end() && found->second->index ? found->second->index->digest() : nullptr;
}

seastar::future<> series_indexes::update(base::table_id table, entry_ptr e, unsigned spread) {
    const auto now = _engine.partitions_mark_here(table);
    if (!now || e->is_too_large || e->given_up_at == now->memtable || (!e->index && shard::is_memory_short())) {
        co_return;
    }
    if (!e->index) {
        e->index = seastar::make_lw_shared<series_index>(spread);
        _bytes += e->index->bytes();
        ++_builds_total;
        co_await seastar::coroutine::switch_to(_group);
    }
    const auto done =
        co_await _engine.visit_new_partitions_here(table, e->known, [this, &e](std::string_view key) { return add(*e, key); });
    if (!done) {
        e->given_up_at = now->memtable;
        give_up(*e);
    }
}

bool series_indexes::add(entry& e, std::string_view partition_key) {
    if (!e.index) {
        return false; // the table is dropped
    }
    const auto before = e.index->bytes();
    e.index->add(partition_key);
    _bytes += e.index->bytes() - before;
    if (_bytes <= _bytes_max || make_room(e)) {
        return true;
    }
    e.is_too_large = true;
    return false;
}

void series_indexes::give_up(entry& e) {
    if (e.index) {
        _bytes -= e.index->bytes();
        e.index->digest()->retire();
    }
    e.index = nullptr;
    e.known = {};
}

void series_indexes::forget_dropped() {
    std::erase_if(_entries, [this](auto& each) {
        auto& [table, e] = each;
        if (_engine.partitions_mark_here(table)) {
            return false;
        }
        give_up(*e);
        return true;
    });
}

bool series_indexes::make_room(const entry& for_whom) {
    while (_bytes > _bytes_max) {
        auto least = _entries.end();
        for (auto at = _entries.begin(); at != _entries.end(); ++at) {
            const auto& e = *at->second;
            const bool can_go = &e != &for_whom && e.index && e.updating.available_units() > 0;
            if (can_go && (least == _entries.end() || e.used_at < least->second->used_at)) {
                least = at;
            }
        }
        if (least == _entries.end()) {
            return false;
        }
        give_up(*least->second);
    }
    return true;
}

} // namespace query
