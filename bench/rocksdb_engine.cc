// RocksDB doing what bench/tables_engine.cc does: durable single inserts and batches of 100, a synced log, N writer threads.
// Prints one JSON object a line.

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/version.h>

#include "base/ticks.hh"
#include "bench/entity_generator.hh"
#include "tables/core/row.hh"

namespace {

using clock = std::chrono::steady_clock;

struct workload {
    unsigned writers;
    unsigned batch;
    std::chrono::milliseconds length;
};

double entities_per_second(rocksdb::DB& db, const workload& w) {
    std::atomic<uint64_t> written = 0;
    const auto start = clock::now();
    const auto end = start + w.length;
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < w.writers; ++i) {
        threads.emplace_back([&, i] {
            bench::entity_generator generator(i + 1000 * w.writers + 7 * w.batch);
            rocksdb::WriteOptions options;
            options.sync = true;
            std::string row;
            while (clock::now() < end) {
                rocksdb::WriteBatch batch;
                for (unsigned n = 0; n < w.batch; ++n) {
                    row.clear();
                    tables::pack_row(generator.next(), row);
                    batch.Put(generator.partition_key() + '\0' + generator.row_key(), row);
                }
                if (auto status = db.Write(options, &batch); !status.ok()) {
                    fmt::print(stderr, "rocksdb: {}\n", status.ToString());
                    std::exit(1);
                }
                written += w.batch;
            }
        });
    }
    threads.clear();
    return static_cast<double>(written) / std::chrono::duration<double>(clock::now() - start).count();
}

// --- reads, as in bench/tables_engine.cc

constexpr unsigned read_partitions = 100;
constexpr unsigned read_rows = 2'000;
constexpr size_t warm_cache_bytes = 512u << 20;
constexpr size_t cold_cache_bytes = 24u << 20;
constexpr unsigned readers = 2;

std::string read_key(unsigned partition, unsigned row) {
    return fmt::format("series{:04}", partition) + '\0' +
           base::inverted_text(base::tick{base::unix_epoch.value + int64_t{row} * base::ticks_per_second}) + "99";
}

void fill_for_reads(rocksdb::DB& db) {
    bench::entity_generator generator(77);
    std::string row;
    for (unsigned p = 0; p < read_partitions; ++p) {
        rocksdb::WriteBatch batch;
        for (unsigned r = 0; r < read_rows; ++r) {
            row.clear();
            tables::pack_row(generator.next(), row);
            batch.Put(read_key(p, r), row);
        }
        db.Write({}, &batch);
    }
    db.Flush({});
    db.CompactRange({}, nullptr, nullptr);
}

double reads_per_second(rocksdb::DB& db, size_t rows, std::chrono::milliseconds length) {
    std::atomic<uint64_t> done = 0;
    const auto start = clock::now();
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < readers; ++t) {
        threads.emplace_back([&, t] {
            uint64_t random = 88172645463325252ULL + t, count = 0;
            std::string value;
            for (; clock::now() < start + length; ++count) {
                random ^= random << 13, random ^= random >> 7, random ^= random << 17;
                const auto p = static_cast<unsigned>(random % read_partitions);
                if (rows == 0) {
                    db.Get({}, read_key(p, static_cast<unsigned>(random >> 32) % read_rows), &value);
                    continue;
                }
                // What is read is also taken: an answer is made of copies.
                const std::unique_ptr<rocksdb::Iterator> it(db.NewIterator({}));
                value.clear();
                it->Seek(fmt::format("series{:04}", p));
                for (size_t n = 0; n < rows && it->Valid(); ++n, it->Next()) {
                    value.append(it->key().data(), it->key().size()).append(it->value().data(), it->value().size());
                }
            }
            done += count;
        });
    }
    threads.clear();
    return static_cast<double>(done) / std::chrono::duration<double>(clock::now() - start).count();
}

void measure_reads(rocksdb::DB& db, const char* cache, std::chrono::milliseconds length) {
    for (const auto& [rows, name] :
         {std::pair(size_t{0}, "point gets"), std::pair(size_t{10}, "newest 10"), std::pair(size_t{1000}, "scans of 1000")}) {
        fmt::print("{{\"what\":\"{}, {}\",\"writers\":{},\"entities_per_second\":{:.0f}}}\n", name, cache, readers,
                   reads_per_second(db, rows, length));
        std::fflush(stdout);
    }
}

// Reads go past the page cache, as ours do: the caches are equal.
std::unique_ptr<rocksdb::DB> open(const std::string& directory, size_t cache_bytes) {
    rocksdb::Options options;
    options.create_if_missing = true;
    options.use_direct_reads = true;
    options.IncreaseParallelism(2);
    rocksdb::BlockBasedTableOptions blocks;
    blocks.block_cache = rocksdb::NewLRUCache(cache_bytes);
    blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
    std::unique_ptr<rocksdb::DB> db;
    if (auto status = rocksdb::DB::Open(options, directory, &db); !status.ok()) {
        fmt::print(stderr, "rocksdb: {}\n", status.ToString());
        std::exit(1);
    }
    return db;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        fmt::print(stderr, "rocksdb_engine DIR SECONDS\n");
        return 2;
    }
    const std::chrono::milliseconds length(static_cast<int>(1000 * std::atof(argv[2])));
    std::filesystem::remove_all(argv[1]);
    auto db = open(argv[1], warm_cache_bytes);
    for (unsigned batch : {1u, 100u}) {
        for (unsigned writers : {16u, 64u}) {
            fmt::print("{{\"what\":\"{}\",\"writers\":{},\"entities_per_second\":{:.0f}}}\n",
                       batch == 1 ? "single inserts" : "transactions of 100", writers,
                       entities_per_second(*db, {writers, batch, length}));
            std::fflush(stdout);
        }
    }
    fill_for_reads(*db);
    measure_reads(*db, "warm", length);
    db.reset();
    db = open(argv[1], cold_cache_bytes);
    measure_reads(*db, "cold", length);
    fmt::print("{{\"what\":\"version\",\"version\":\"RocksDB {}.{}.{}\"}}\n", ROCKSDB_MAJOR, ROCKSDB_MINOR, ROCKSDB_PATCH);
    db.reset();
    std::filesystem::remove_all(argv[1]);
}
