#include "shard/wal_scrub.hh"

#include <algorithm>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/maybe_yield.hh>
#include <seastar/util/defer.hh>
#include <seastar/util/later.hh>

#include "shard/wal_replay.hh"

namespace shard {
namespace {

// The folder is that of all shards, and files of the others come and go while it is listed.
constexpr unsigned listing_attempts_max = 5;

seastar::future<std::vector<log_file_info>> own_files(disk& d, const wal_config& config) {
    for (unsigned attempt = 0; attempt < listing_attempts_max; ++attempt) {
        auto all = co_await list_logs(d, config.store);
        if (all) {
            std::erase_if(*all, [&](const log_file_info& f) { return f.id.shard != config.shard || f.id.epoch != config.epoch; });
            co_return std::move(*all);
        }
        co_await seastar::coroutine::maybe_yield();
    }
    co_return std::vector<log_file_info>();
}

seastar::future<> go_on(const wal_record&) {
    return seastar::maybe_yield();
}

} // namespace

seastar::future<> scrub_log(disk& d, wal& log, scrub& pass) {
    uint64_t bytes = 0;
    {
        log.keep_files();
        const auto release = seastar::defer([&log]() noexcept { log.unhold(); });
        // What is written from here on is read in part.
        const auto durable = log.durable();
        const auto files = co_await own_files(d, log.config());
        if (files.empty()) {
            co_return;
        }
        const auto report = co_await read_log(d, files, go_on);
        for (const auto& damage : report.damages) {
            if (damage.first > durable) {
                continue;
            }
            pass.found(fmt::format("log {} from byte {} to {} byte {}: records {} to {} cannot be read any more",
                                   damage.begin_file, damage.begin, damage.end_file, damage.end, damage.first.value,
                                   damage.last.value));
        }
        for (const auto& f : files) {
            bytes += f.size_bytes;
            pass.end_file();
            if (f.has_bad_copy) {
                pass.found(fmt::format("log {}: one copy of its header is damaged, the other one serves", f.name));
            }
        }
    }
    co_await pass.admit(bytes);
}

} // namespace shard
