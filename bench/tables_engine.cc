// The table engine alone, without a network: durable single inserts and transactions of 100, N writers over all shards; then
// point gets, the newest ten of a partition and scans of a thousand rows from segments, a reader on each shard. Prints one JSON
// object a line; bench/rocksdb_engine.cc is its peer.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/sharded.hh>
#include <seastar/core/thread.hh>
#include <seastar/coroutine/parallel_for_each.hh>

#include "base/ticks.hh"
#include "bench/bare_engine.hh"
#include "bench/entity_generator.hh"

namespace {

using clock = std::chrono::steady_clock;

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

// How long commits took, in steps of a hundredth of a millisecond; those above a second are one.
class latencies {
public:
    void add(clock::duration d) { ++_counts[std::min<size_t>(static_cast<size_t>(d / step), _counts.size() - 1)]; }
    void add(const latencies& other) { std::ranges::transform(_counts, other._counts, _counts.begin(), std::plus<>()); }
    // In milliseconds; the share is at most this long.
    double quantile(double share) const {
        const double all = static_cast<double>(std::accumulate(_counts.begin(), _counts.end(), uint64_t{0}));
        double seen = 0;
        size_t i = 0;
        while (i + 1 < _counts.size() && (seen += static_cast<double>(_counts[i])) < share * all) {
            ++i;
        }
        return static_cast<double>(i + 1) * std::chrono::duration<double, std::milli>(step).count();
    }

private:
    static constexpr std::chrono::microseconds step{10};
    std::vector<uint64_t> _counts = std::vector<uint64_t>(100'000);
};

struct outcome {
    uint64_t written = 0;
    latencies took;

    friend outcome operator+(outcome a, const outcome& b) {
        a.written += b.written;
        a.took.add(b.took);
        return a;
    }
};

seastar::future<> write_until_end(tables::engine& engine, workload w, unsigned seed, outcome& result) {
    bench::entity_generator generator(seed);
    while (clock::now() < w.end) {
        auto transaction = make_transaction(generator, w);
        const auto start = clock::now();
        const auto done = co_await engine.commit(std::move(transaction));
        if (!done) {
            throw std::runtime_error(base::to_string(done.error().error));
        }
        result.took.add(clock::now() - start);
        result.written += w.batch;
    }
}

seastar::future<outcome> write_on_shard(tables::engine& engine, workload w) {
    outcome result;
    std::vector<unsigned> seeds;
    for (unsigned i = 0; i < w.writers; ++i) {
        seeds.push_back(1 + i + 1000 * seastar::this_shard_id() + 100'000 * w.batch + 10'000 * w.writers);
    }
    co_await seastar::coroutine::parallel_for_each(seeds,
                                                   [&](unsigned seed) { return write_until_end(engine, w, seed, result); });
    co_return result;
}

seastar::future<> measure(seastar::sharded<tables::engine>& engines, unsigned batch, unsigned writers, double seconds) {
    auto table = co_await engines.local().create_table({"bench", fmt::format("Run{}x{}", batch, writers), {}});
    const auto start = clock::now();
    const workload w{table->id, writers / seastar::smp::count, batch,
                     start + std::chrono::milliseconds(static_cast<int>(1000 * seconds))};
    const auto result =
        co_await engines.map_reduce0([w](tables::engine& e) { return write_on_shard(e, w); }, outcome(), std::plus<>());
    const double took = std::chrono::duration<double>(clock::now() - start).count();
    fmt::print("{{\"what\":\"{}\",\"writers\":{},\"entities_per_second\":{:.0f},\"p50_ms\":{:.2f},\"p999_ms\":{:.2f}}}\n",
               batch == 1 ? "single inserts" : "transactions of 100", writers, static_cast<double>(result.written) / took,
               result.took.quantile(0.5), result.took.quantile(0.999));
    std::fflush(stdout);
    co_await engines.local().drop_table("bench", fmt::format("Run{}x{}", batch, writers)).discard_result();
}

// --- reads: a table of its own, all of it in segments

constexpr unsigned read_partitions = 100;
constexpr unsigned read_rows = 2'000; // of each
// Of a process: all the rows fit, or a tenth of them do.
constexpr size_t warm_cache_bytes = 512u << 20;
constexpr size_t cold_cache_bytes = 24u << 20;

std::string read_partition(unsigned i) {
    return fmt::format("series{:04}", i);
}

std::string read_row(unsigned i) {
    return base::inverted_text(base::tick{base::unix_epoch.value + int64_t{i} * base::ticks_per_second}) + "99";
}

seastar::future<base::table_id> fill_for_reads(seastar::sharded<tables::engine>& engines) {
    const auto table = co_await engines.local().create_table({"bench", "Reads", {}});
    bench::entity_generator generator(77);
    for (unsigned p = 0; p < read_partitions; ++p) {
        for (unsigned first = 0; first < read_rows; first += 100) {
            tables::row_batch_builder rows(table->id);
            for (unsigned r = 0; r < 100; ++r) {
                rows.add_put(read_partition(p), read_row(first + r), generator.next());
            }
            const auto owner = engines.local().owner_of(read_partition(p));
            (co_await engines.local().upsert(owner, rows.take())).value();
        }
    }
    co_await engines.invoke_on_all([](tables::engine& e) { return e.flush().discard_result(); });
    co_return table->id;
}

enum class read_kind { get, newest_10, scan_1000 };

seastar::future<uint64_t> read_on_shard(tables::engine& engine, base::table_id table, read_kind kind, clock::time_point end) {
    uint64_t random = 88172645463325252ULL + seastar::this_shard_id(), done = 0;
    while (clock::now() < end) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        const auto pk = read_partition(static_cast<unsigned>(random % read_partitions));
        if (engine.owner_of(pk) != seastar::this_shard_id()) {
            continue; // each thread reads its own, as the peer's threads do without a network
        }
        if (kind == read_kind::get) {
            const auto row = co_await engine.get(table, pk, read_row(static_cast<unsigned>(random >> 32) % read_rows));
            if (!row) {
                throw std::runtime_error(base::to_string(row.error()));
            }
        } else {
            const size_t rows = kind == read_kind::newest_10 ? 10 : 1000;
            const auto page =
                co_await engine.scan({.table = table, .ranges = {tables::key_range::partition(pk)}, .rows_max = rows});
            if (!page || page->rows.size() != rows) {
                throw std::runtime_error("a page is not whole");
            }
        }
        ++done;
    }
    co_return done;
}

seastar::future<> measure_reads(seastar::sharded<tables::engine>& engines, base::table_id table, const char* cache,
                                double seconds) {
    for (const auto& [kind, name] : {std::pair(read_kind::get, "point gets"), std::pair(read_kind::newest_10, "newest 10"),
                                     std::pair(read_kind::scan_1000, "scans of 1000")}) {
        const auto start = clock::now();
        const auto end = start + std::chrono::milliseconds(static_cast<int>(1000 * seconds));
        const auto done = co_await engines.map_reduce0([=](tables::engine& e) { return read_on_shard(e, table, kind, end); },
                                                       uint64_t{0}, std::plus<>());
        fmt::print("{{\"what\":\"{}, {}\",\"writers\":{},\"entities_per_second\":{:.0f}}}\n", name, cache, seastar::smp::count,
                   static_cast<double>(done) / std::chrono::duration<double>(clock::now() - start).count());
        std::fflush(stdout);
    }
}

seastar::future<> run(std::string directory, double seconds) {
    seastar::sharded<tables::engine> engines, cold;
    co_await bench::start_engine(engines, directory, warm_cache_bytes);
    for (unsigned batch : {1u, 100u}) {
        for (unsigned writers : {16u, 64u}) {
            co_await measure(engines, batch, writers, seconds);
        }
    }
    const auto table = co_await fill_for_reads(engines);
    co_await measure_reads(engines, table, "warm", seconds);
    co_await engines.stop();
    co_await bench::start_engine(cold, directory, cold_cache_bytes);
    co_await measure_reads(cold, table, "cold", seconds);
    co_await cold.stop();
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        fmt::print(stderr, "tables_engine DIR SECONDS\n");
        return 2;
    }
    const std::string directory = argv[1];
    const double seconds = std::atof(argv[2]);
    return bench::run_on_empty(directory, [&] { return run(directory, seconds); });
}
