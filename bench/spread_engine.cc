// What a spread is for: how many rows a second one series takes into the table engine, durable, when all of them belong to one
// shard and when they are spread over as many partitions as there are shards. The batches are made before the clock starts:
// receiving and parsing use all cores with and without a spread, so that over a socket the owner of the rows is not what limits.
//
//   spread_engine DIR ROWS        one JSON object a line: spread, rows_per_second

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/semaphore.hh>
#include <seastar/core/sharded.hh>
#include <seastar/coroutine/parallel_for_each.hh>

#include "base/spread.hh"
#include "bench/bare_engine.hh"
#include "tables/core/family/point_key.hh"

namespace {

using clock = std::chrono::steady_clock;

constexpr int64_t start_ns = 1'790'000'000'000'000'000;
constexpr int64_t step_ns = 1'000'000;
constexpr unsigned fields_count = 10;
constexpr size_t rows_per_batch = 1'000;
constexpr size_t batches_at_once = 16; // of one shard
constexpr size_t cache_bytes = 64u << 20;

struct batch_for {
    unsigned owner;
    std::string rows;
};

// The rows that this shard received: every n-th stretch of time.
std::vector<batch_for> make_batches(const tables::engine& engine, base::table_id table, unsigned spread, size_t rows_count) {
    std::vector<batch_for> made;
    std::vector<std::string> names;
    std::vector<tables::property> fields;
    for (unsigned i = 0; i < fields_count; ++i) {
        names.push_back(fmt::format("usage_{}", i));
    }
    for (const auto& name : names) {
        fields.push_back({name, tables::value::of_int64(0)});
    }
    std::vector<std::string> keys;
    std::vector<tables::row_batch_builder> open;
    for (unsigned bucket = 0; bucket < spread; ++bucket) {
        keys.emplace_back("host=one");
        if (spread > 1) {
            base::append_spread_suffix(bucket, keys.back());
        }
        open.emplace_back(table);
    }
    const auto cut = [&](unsigned bucket) { made.push_back({engine.owner_of(keys[bucket]), open[bucket].take()}); };
    for (size_t i = 0; i < rows_count; ++i) {
        const auto time_ns = start_ns + static_cast<int64_t>(seastar::this_shard_id() * rows_count + i) * step_ns;
        const auto bucket = spread > 1 ? base::spread_bucket(time_ns, spread) : 0;
        for (unsigned f = 0; f < fields_count; ++f) {
            fields[f].value = tables::value::of_int64(static_cast<int64_t>((i * 7 + f * 13) % 101));
        }
        open[bucket].add(tables::row_kind::merge, keys[bucket], tables::view(tables::point_key(time_ns)), fields);
        if (open[bucket].rows_count() == rows_per_batch) {
            cut(bucket);
        }
    }
    for (unsigned bucket = 0; bucket < spread; ++bucket) {
        if (!open[bucket].empty()) {
            cut(bucket);
        }
    }
    return made;
}

seastar::future<> send(tables::engine& engine, batch_for batch, seastar::semaphore& turns) {
    const auto turn = co_await seastar::get_units(turns, 1);
    const auto done = co_await engine.upsert(batch.owner, std::move(batch.rows));
    if (!done) {
        throw std::runtime_error(base::to_string(done.error()));
    }
}

thread_local std::vector<batch_for> ours;

seastar::future<> send_all(tables::engine& engine) {
    seastar::semaphore turns(batches_at_once);
    co_await seastar::coroutine::parallel_for_each(ours, [&](batch_for& batch) { return send(engine, std::move(batch), turns); });
}

seastar::future<> measure(seastar::sharded<tables::engine>& engines, unsigned spread, size_t rows_count) {
    const auto table = co_await engines.local().create_table({"bench", fmt::format("Spread{}", spread), {}});
    const size_t of_each = rows_count / seastar::smp::count;
    co_await engines.invoke_on_all(
        [id = table->id, spread, of_each](tables::engine& e) { ours = make_batches(e, id, spread, of_each); });
    const auto start = clock::now();
    co_await engines.invoke_on_all(send_all);
    const double took = std::chrono::duration<double>(clock::now() - start).count();
    fmt::print("{{\"spread\":{},\"rows_per_second\":{:.0f}}}\n", spread,
               static_cast<double>(of_each * seastar::smp::count) / took);
    std::fflush(stdout);
    co_await engines.invoke_on_all([](tables::engine&) { ours = {}; });
    co_await engines.local().drop_table("bench", fmt::format("Spread{}", spread)).discard_result();
}

seastar::future<> run(std::string directory, size_t rows_count) {
    seastar::sharded<tables::engine> engines;
    co_await bench::start_engine(engines, directory, cache_bytes);
    co_await measure(engines, 1, rows_count);
    co_await measure(engines, seastar::smp::count, rows_count);
    co_await engines.stop();
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        fmt::print(stderr, "spread_engine DIR ROWS\n");
        return 2;
    }
    const std::string directory = argv[1];
    const auto rows_count = static_cast<size_t>(std::atoll(argv[2]));
    return bench::run_on_empty(directory, [&] { return run(directory, rows_count); });
}
