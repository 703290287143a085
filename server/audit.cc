#include "server/audit.hh"

#include <chrono>

#include <seastar/core/coroutine.hh>

#include "ingest/record_batcher.hh"
#include "server/logger.hh"

namespace server {
namespace {

constexpr uint8_t level_notice = 5;

int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

} // namespace

seastar::future<> write_audit_record(blobs::log_store& store, std::string message) {
    ingest::record_batcher batcher(store);
    batcher.begin_piece(now_ns());
    const auto fault = batcher.take({.source = own_source, .level = level_notice, .app = "downtick", .message = message});
    if (fault != ingest::line_fault::none) {
        logger.warn("not in the source {}: {}", own_source, message);
        co_return;
    }
    auto batches = batcher.drain();
    for (auto& batch : batches) {
        batch.is_of_upkeep = true;
        if (auto done = co_await store.append(std::move(batch)); !done) {
            logger.warn("not in the source {} ({}): {}", own_source, base::to_string(done.error()), message);
        }
    }
}

} // namespace server
