#include "server/tables_http.hh"

#include <seastar/core/coroutine.hh>
#include <seastar/core/smp.hh>

#include "query/core/native/listing.hh"
#include "query/http_answer.hh"

namespace server {
namespace {

using engines = seastar::sharded<tables::engine>;
using figures_map = std::map<base::table_id, query::table_figures>;

// Of one call of the engine.
constexpr size_t partitions_per_call = 1024;
// Partitions looked at for one list: what is in memory has no directory that says from when to when it is.
constexpr size_t partitions_max = 256 * partitions_per_call;

// Nothing stands for what is not known yet.
void widen(query::table_figures& f, std::optional<base::tick> oldest, std::optional<base::tick> newest) {
    if (oldest && newest) {
        f.oldest = std::min(f.oldest.value_or(*oldest), *oldest);
        f.newest = std::max(f.newest.value_or(*newest), *newest);
    }
}

figures_map add_usage(figures_map all, const std::vector<tables::engine::table_usage>& more) {
    for (const auto& u : more) {
        auto& f = all[u.table];
        f.rows_count += u.rows_count;
        f.segment_rows_count += u.segment_rows_count;
        f.bytes += u.segment_bytes;
        f.memory_bytes += u.rows_count > u.segment_rows_count ? u.memory_bytes : 0;
        f.files_count += u.segments_count;
        widen(f, u.oldest, u.newest);
    }
    return all;
}

// Keys without a time make a partition's span all of time.
bool is_bounded(const tables::partition_span& span) {
    return span.oldest.value > 0 && span.newest < base::tick_max;
}

// The times of one table's partitions on one shard. False when there are more than may be looked at, or the table is gone.
seastar::future<bool> walk_partitions(engines& all, unsigned shard, base::table_id id, query::table_figures& figures,
                                      size_t& left) {
    for (std::optional<std::string> from = ""; from;) {
        const auto some = co_await all.invoke_on(
            shard, [id, from = *from](tables::engine& e) { return e.partitions_here(id, from, partitions_per_call); });
        if (!some || some->size() > left) {
            co_return false;
        }
        left -= some->size();
        for (const auto& span : *some) {
            if (is_bounded(span)) {
                widen(figures, span.oldest, span.newest);
            }
        }
        from = some->size() == partitions_per_call ? std::optional(some->back().key + '\0') : std::nullopt;
    }
    co_return true;
}

// What segments say about times is known already; rows in memory are looked for where there are some.
seastar::future<> look_at_memory(engines& all, const std::vector<tables::table_info>& tables, figures_map& figures) {
    size_t left = partitions_max;
    for (const auto& t : tables) {
        auto& f = figures[t.id];
        bool is_complete = true;
        for (unsigned shard = 0; f.rows_count > f.segment_rows_count && shard < seastar::smp::count && is_complete; ++shard) {
            is_complete = co_await walk_partitions(all, shard, t.id, f, left);
        }
        if (!is_complete) {
            f.oldest = f.newest = std::nullopt;
        }
    }
}

seastar::future<> list_tables(engines& all, compaction::retention& keeper, const std::string& account, http::request& request,
                              http::reply_writer& reply) {
    const auto page = query::read_list_page(request.head.query);
    if (!page) {
        co_return co_await query::send_error(reply, page.error());
    }
    const auto tables = query::tables_of_page(all.local().catalog().list(account, {}, tables::tables_count_max), *page);
    auto figures = co_await all.map_reduce0([](const tables::engine& e) { return e.usage_here(); }, figures_map(), add_usage);
    co_await look_at_memory(all, tables, figures);
    const auto drops = co_await seastar::smp::submit_to(0, [&keeper] { return keeper.next_drops(); });
    for (const auto& [id, when] : drops) {
        figures[id].next_drop = when;
    }
    co_await reply.send(200, {http::json_type}, query::tables_json(tables, figures, *page));
}

} // namespace

void add_table_routes(http::router& routes, engines& all, compaction::retention& keeper, std::string account) {
    routes.add(
        "GET", "/v1/tables",
        [&all, &keeper, account = std::move(account)](http::request& request, http::path_parameters, http::reply_writer& reply) {
            return list_tables(all, keeper, account, request, reply);
        });
}

} // namespace server
