// The table engine alone, without a network: durable single inserts and transactions of 100, N writers over all shards.
// Prints one JSON object a line; bench/rocksdb_engine.cc is its peer.

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <seastar/core/app-template.hh>
#include <seastar/core/coroutine.hh>
#include <seastar/core/sharded.hh>
#include <seastar/core/thread.hh>
#include <seastar/coroutine/parallel_for_each.hh>

#include "base/ticks.hh"
#include "bench/entity_generator.hh"
#include "shard/dma_disk.hh"
#include "tables/engine.hh"

namespace {

using clock = std::chrono::steady_clock;

base::tick wall_clock() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return base::tick_from_unix_ns(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

struct workload {
    base::table_id table;
    unsigned writers; // of one shard
    unsigned batch;
    clock::time_point end;
};

tables::transaction make_transaction(bench::entity_generator& generator, const workload& w) {
    tables::row_batch_builder rows(w.table);
    std::vector<tables::operation> operations;
    std::string partition;
    for (unsigned i = 0; i < w.batch; ++i) {
        const auto& properties = generator.next();
        if (partition.empty()) {
            partition = generator.partition_key(); // one partition for each transaction
        }
        rows.add_put(partition, generator.row_key(), properties);
        operations.push_back({tables::operation_kind::insert, std::nullopt});
    }
    return {rows.take(), std::move(operations)};
}

seastar::future<uint64_t> write_until_end(tables::engine& engine, workload w, unsigned seed) {
    bench::entity_generator generator(seed);
    uint64_t written = 0;
    while (clock::now() < w.end) {
        const auto outcome = co_await engine.commit(make_transaction(generator, w));
        if (!outcome) {
            throw std::runtime_error(base::to_string(outcome.error().error));
        }
        written += w.batch;
    }
    co_return written;
}

seastar::future<uint64_t> write_on_shard(tables::engine& engine, workload w) {
    uint64_t written = 0;
    std::vector<unsigned> seeds;
    for (unsigned i = 0; i < w.writers; ++i) {
        seeds.push_back(1 + i + 1000 * seastar::this_shard_id() + 100'000 * w.batch + 10'000 * w.writers);
    }
    co_await seastar::coroutine::parallel_for_each(seeds, [&](unsigned seed) -> seastar::future<> {
        written += co_await write_until_end(engine, w, seed);
    });
    co_return written;
}

seastar::future<> measure(seastar::sharded<tables::engine>& engines, unsigned batch, unsigned writers, double seconds) {
    auto table = co_await engines.local().create_table({"bench", fmt::format("Run{}x{}", batch, writers), {}});
    const auto start = clock::now();
    const workload w{table->id, writers / seastar::smp::count, batch,
                     start + std::chrono::milliseconds(static_cast<int>(1000 * seconds))};
    const auto written =
        co_await engines.map_reduce0([w](tables::engine& e) { return write_on_shard(e, w); }, uint64_t{0}, std::plus<>());
    const double took = std::chrono::duration<double>(clock::now() - start).count();
    fmt::print("{{\"what\":\"{}\",\"writers\":{},\"entities_per_second\":{:.0f}}}\n", batch == 1 ? "single inserts" : "transactions of 100",
               writers, static_cast<double>(written) / took);
    std::fflush(stdout);
    co_await engines.local().drop_table("bench", fmt::format("Run{}x{}", batch, writers)).discard_result();
}

seastar::future<> run(std::string directory, double seconds) {
    seastar::sharded<tables::engine> engines;
    tables::engine_config config;
    config.make_disk = [directory] { return std::make_unique<shard::dma_disk>(directory); };
    config.now = wall_clock;
    config.shards_count = seastar::smp::count;
    config.memtable_bytes_max = 4ull << 30;
    co_await engines.start(config);
    auto opened = co_await engines.local().open();
    if (!opened) {
        throw std::runtime_error(base::to_string(opened.error()));
    }
    for (unsigned batch : {1u, 100u}) {
        for (unsigned writers : {16u, 64u}) {
            co_await measure(engines, batch, writers, seconds);
        }
    }
    co_await engines.stop();
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        fmt::print(stderr, "tables_engine DIR SECONDS\n");
        return 2;
    }
    const std::string directory = argv[1];
    const double seconds = std::atof(argv[2]);
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
    std::vector<std::string> args{argv[0], "--memory=6G", "--overprovisioned", "--max-networking-io-control-blocks=100",
                                  "--default-log-level=warn"};
    std::vector<char*> pointers;
    for (auto& arg : args) {
        pointers.push_back(arg.data());
    }
    seastar::app_template app;
    const int status = app.run(static_cast<int>(pointers.size()), pointers.data(), [&] { return run(directory, seconds); });
    std::filesystem::remove_all(directory);
    return status;
}
