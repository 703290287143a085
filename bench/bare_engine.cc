#include "bench/bare_engine.hh"

#include <chrono>
#include <filesystem>
#include <memory>
#include <vector>

#include <seastar/core/app-template.hh>
#include <seastar/core/coroutine.hh>

#include "base/ticks.hh"
#include "shard/dma_disk.hh"
#include "shard/long_turns.hh"

namespace bench {
namespace {

base::tick wall_clock() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return base::tick_from_unix_ns(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

} // namespace

seastar::future<> start_engine(seastar::sharded<tables::engine>& engines, std::string directory, size_t cache_bytes) {
    tables::engine_config config;
    config.make_disk = [directory] { return std::make_unique<shard::dma_disk>(directory); };
    config.now = wall_clock;
    config.shards_count = seastar::smp::count;
    config.memtable_bytes_max = 1ull << 30; // of each shard
    config.cache_bytes_max = cache_bytes / seastar::smp::count;
    co_await engines.start(config);
    const auto opened = co_await engines.local().open();
    if (!opened) {
        throw std::runtime_error(base::to_string(opened.error()));
    }
}

int run_on_empty(const std::string& directory, std::function<seastar::future<>()> work) {
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
    // As `downtick serve` runs it (server/serve.cc).
    shard::take_long_turns();
    std::vector<std::string> args{"bench",
                                  "--memory=4G",
                                  "--overprovisioned",
                                  "--idle-poll-time-us=100",
                                  "--max-networking-io-control-blocks=100",
                                  "--default-log-level=warn"};
    std::vector<char*> pointers;
    for (auto& arg : args) {
        pointers.push_back(arg.data());
    }
    seastar::app_template app;
    const int status = app.run(static_cast<int>(pointers.size()), pointers.data(), std::move(work));
    std::filesystem::remove_all(directory);
    return status;
}

} // namespace bench
