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
#include <rocksdb/db.h>
#include <rocksdb/version.h>

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

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        fmt::print(stderr, "rocksdb_engine DIR SECONDS\n");
        return 2;
    }
    const std::chrono::milliseconds length(static_cast<int>(1000 * std::atof(argv[2])));
    std::filesystem::remove_all(argv[1]);
    rocksdb::Options options;
    options.create_if_missing = true;
    options.IncreaseParallelism(2);
    std::unique_ptr<rocksdb::DB> db;
    if (auto status = rocksdb::DB::Open(options, argv[1], &db); !status.ok()) {
        fmt::print(stderr, "rocksdb: {}\n", status.ToString());
        return 1;
    }
    for (unsigned batch : {1u, 100u}) {
        for (unsigned writers : {16u, 64u}) {
            fmt::print("{{\"what\":\"{}\",\"writers\":{},\"entities_per_second\":{:.0f}}}\n",
                       batch == 1 ? "single inserts" : "transactions of 100", writers, entities_per_second(*db, {writers, batch, length}));
            std::fflush(stdout);
        }
    }
    fmt::print("{{\"what\":\"version\",\"version\":\"RocksDB {}.{}.{}\"}}\n", ROCKSDB_MAJOR, ROCKSDB_MINOR, ROCKSDB_PATCH);
    db.reset();
    std::filesystem::remove_all(argv[1]);
}
