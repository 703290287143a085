// The engine's reads.

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>

#include "tables/engine.hh"
#include "tables/entity_finder.hh"
#include "tables/shard_scan.hh"

namespace tables {

using base::errc;
using base::fail;

// Between looks at others who want the core.
static constexpr size_t partitions_per_step = 256;

seastar::future<base::expected<owned_rows>> engine::get(base::table_id id, std::string partition_key, std::string row_key) {
    const auto owner = owner_of(partition_key);
    // Not in one conditional expression: the compiler runs both of its arms when they are awaited.
    base::expected<std::string> batch;
    if (owner == seastar::this_shard_id()) {
        batch = co_await get_here(id, std::move(partition_key), std::move(row_key));
    } else {
        batch = co_await container().invoke_on(owner, &engine::get_here, id, std::move(partition_key), std::move(row_key));
    }
    if (!batch) {
        co_return std::unexpected(batch.error());
    }
    co_return owned_rows::of_built(std::move(*batch));
}

seastar::future<base::expected<std::string>> engine::get_here(base::table_id id, std::string partition_key, std::string row_key) {
    auto hold = _work.try_hold();
    if (!hold) {
        co_return fail(errc::shutting_down, "the server is stopping");
    }
    ++_counters.gets_total;
    const auto source = find_table(id);
    if (!source) {
        co_return fail(errc::table_not_found, fmt::format("table {} is not there (any more)", id.value));
    }
    stored_rows stored;
    do {
        if (auto loaded = co_await stored.load(source, visible(), partition_key, {{row_key}}); !loaded) {
            co_return std::unexpected(loaded.error());
        }
    } while (!stored.is_current(*source));
    std::string batch;
    entity_finder finder(*source, stored, visible());
    if (const auto found = finder.find(partition_key, row_key)) {
        row_batch_builder one(id);
        one.add_row(row_kind::put, partition_key, row_key, found->row, found->timestamp);
        batch = one.take();
    }
    if (auto durable = co_await wait_readable(finder.newest_seen()); !durable) {
        co_return std::unexpected(durable.error());
    }
    if (source->is_dropped()) {
        co_return fail(errc::table_not_found);
    }
    if (batch.empty()) {
        co_return fail(errc::entity_not_found);
    }
    co_return batch;
}

seastar::future<base::expected<scan_page>> engine::scan(scan_request request) {
    auto hold = _work.try_hold();
    if (!hold) {
        co_return fail(errc::shutting_down, "the server is stopping");
    }
    ++_counters.pages_total;
    co_return co_await read_page(container(), std::move(request), _config.shards_count);
}

seastar::future<base::expected<visit_end>> engine::visit_here(scan_request request, row_visitor& visitor) {
    const auto scan = shard_scan::open(*this, request);
    if (!scan) {
        co_return std::unexpected(scan.error());
    }
    ++_counters.pages_total;
    co_return co_await (*scan)->visit(visitor, request.rows_max);
}

std::optional<partitions_mark> engine::partitions_mark_here(base::table_id id) {
    const auto source = find_table(id);
    return source ? std::optional(source->partitions()) : std::nullopt;
}

partitions_made engine::partitions_made_here(base::table_id id) {
    const auto source = find_table(id);
    return source ? source->made() : nullptr;
}

// A view to be read across suspensions: whoever lets go of a memtable last hands it to be freed.
class engine::held_view {
public:
    held_view(engine& e, table_ptr t) : read_view(t->view(e.visible())), _engine(e), _table(std::move(t)) {}
    held_view(const held_view&) = delete;
    ~held_view() {
        _table = nullptr;
        for (auto& m : read_view.memtables) {
            _engine.retire(std::move(m));
        }
    }
    bool is_dropped() const { return _table->is_dropped(); }

    tables::read_view read_view;

private:
    engine& _engine;
    table_ptr _table;
};

base::expected<table_ptr> engine::readable_table(base::table_id id) {
    const auto source = find_table(id);
    if (!source) {
        return fail(errc::table_not_found, fmt::format("table {} is not there (any more)", id.value));
    }
    return source->damage() ? base::expected<table_ptr>(std::unexpected(*source->damage())) : source;
}

seastar::future<base::expected<column_visit_end>> engine::visit_columns_here(column_request request, column_visitor& visitor) {
    const auto hold = _work.try_hold();
    auto source = readable_table(request.table);
    if (!hold || !source) {
        co_return hold ? std::unexpected(source.error()) : fail(errc::shutting_down, "the server is stopping");
    }
    held_view view(*this, std::move(*source));
    column_scan scan(view.read_view, request, visitor);
    auto end = co_await scan.run();
    if (view.is_dropped()) {
        co_return fail(errc::table_not_found);
    }
    co_return end;
}

seastar::future<base::expected<newest_visit_end>> engine::visit_newest_here(newest_request request, row_visitor& visitor) {
    const auto hold = _work.try_hold();
    auto source = readable_table(request.table);
    if (!hold || !source) {
        co_return hold ? std::unexpected(source.error()) : fail(errc::shutting_down, "the server is stopping");
    }
    held_view view(*this, std::move(*source));
    newest_scan scan(view.read_view, request, visitor);
    auto end = co_await scan.run();
    if (view.is_dropped()) {
        co_return fail(errc::table_not_found);
    }
    if (auto durable = co_await wait_readable(end ? end->newest_seen : base::sequence()); !durable) {
        co_return std::unexpected(durable.error());
    }
    co_return end;
}

seastar::future<base::expected<std::vector<partition_span>>> engine::partitions_here(base::table_id id, std::string from,
                                                                                     size_t count_max, damage_list* passed) {
    const auto hold = _work.try_hold();
    auto source = readable_table(id);
    if (!hold || !source) {
        co_return hold ? std::unexpected(source.error()) : fail(errc::shutting_down, "the server is stopping");
    }
    held_view view(*this, std::move(*source));
    partition_lister lister(view.read_view, from, passed);
    auto found = co_await lister.next(count_max);
    if (view.is_dropped()) {
        co_return fail(errc::table_not_found);
    }
    co_return found;
}

seastar::future<base::expected<void>> engine::visit_new_partitions_here(base::table_id id, partitions_mark& mark,
                                                                        key_visitor visit) {
    const auto hold = _work.try_hold();
    auto source = readable_table(id);
    if (!hold || !source) {
        co_return hold ? std::unexpected(source.error()) : fail(errc::shutting_down, "the server is stopping");
    }
    const auto upto = (*source)->partitions();
    read_view stored;
    std::ranges::copy_if((*source)->segments(), std::back_inserter(stored.segments),
                         [&](const segment_ptr& s) { return s->brings() > mark; });
    held_view view(*this, *source);
    std::vector<memtable::arrival_cursor> arrivals;
    for (const auto& m : view.read_view.memtables) {
        arrivals.emplace_back(*m, (*source)->known_count(mark, m));
    }
    // What is in memory is shown without suspending, most often: nobody is kept waiting for a partition that has just come.
    for (auto& at : arrivals) {
        for (size_t shown = 1; !at.is_end(); at.next(), ++shown) {
            if (!visit(at.key())) {
                co_return fail(errc::busy, "no more partitions are wanted");
            }
            if (shown % partitions_per_step == 0) {
                co_await seastar::coroutine::maybe_yield();
            }
        }
    }
    partition_lister lister(stored, "");
    for (bool is_end = stored.segments.empty(); !is_end;) {
        const auto some = co_await lister.next(partitions_per_step);
        if (!some) {
            co_return std::unexpected(some.error());
        }
        is_end = some->size() < partitions_per_step;
        for (const auto& span : *some) {
            if (!visit(span.key)) {
                co_return fail(errc::busy, "no more partitions are wanted");
            }
        }
    }
    if (view.is_dropped()) {
        co_return fail(errc::table_not_found);
    }
    mark = upto;
    co_return base::expected<void>();
}

} // namespace tables
