// The engine's reads.

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>

#include "tables/engine.hh"
#include "tables/entity_finder.hh"
#include "tables/shard_scan.hh"

namespace tables {

using base::errc;
using base::fail;

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
    co_return owned_rows::open(std::move(*batch));
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
        if (auto loaded = co_await stored.load(source, visible(), _config.shards_count, partition_key, {row_key}); !loaded) {
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

std::optional<partitions_version> engine::partitions_version_here(base::table_id id) {
    const auto source = find_table(id);
    return source ? std::optional(source->partitions()) : std::nullopt;
}

seastar::future<base::expected<std::vector<partition_span>>> engine::partitions_here(base::table_id id, std::string from,
                                                                                     size_t count_max) {
    const auto hold = _work.try_hold();
    if (!hold) {
        co_return fail(errc::shutting_down, "the server is stopping");
    }
    auto source = find_table(id);
    if (!source) {
        co_return fail(errc::table_not_found, fmt::format("table {} is not there (any more)", id.value));
    }
    if (source->damage()) {
        co_return std::unexpected(*source->damage());
    }
    auto view = source->view(visible(), _config.shards_count);
    partition_lister lister(view, from);
    auto found = co_await lister.next(count_max);
    const bool is_dropped = source->is_dropped();
    source = nullptr;
    for (auto& m : view.memtables) {
        retire(std::move(m));
    }
    if (is_dropped) {
        co_return fail(errc::table_not_found);
    }
    co_return found;
}

} // namespace tables
