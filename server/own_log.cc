#include "server/own_log.hh"

#include <chrono>
#include <iostream>
#include <streambuf>
#include <utility>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/util/defer.hh>
#include <seastar/util/log.hh>

#include "base/ticks.hh"
#include "ingest/record_batcher.hh"
#include "server/audit.hh"
#include "server/core/log_line.hh"
#include "server/wall_clock.hh"
#include "shard/background.hh"

namespace server {
namespace {

constexpr auto write_every = std::chrono::seconds(1);
// Of one shard between two writes. A server that logs more has a trouble that the first of them tell.
constexpr size_t lines_max = 256;
constexpr size_t line_bytes_max = 4 << 10;

struct kept_line {
    int64_t time_ns = 0;
    uint8_t level = 0;
    std::string text;
};

// Of this shard. Lines of other threads are dropped with them.
thread_local std::vector<kept_line> kept_lines;
thread_local uint64_t lost_count = 0;

void keep(std::string_view line) {
    const auto parsed = parse_log_line(line);
    if (!parsed) {
        return;
    }
    if (kept_lines.size() >= lines_max) {
        ++lost_count;
        return;
    }
    kept_lines.push_back({base::unix_ns(wall_clock()), parsed->level, std::string(parsed->text.substr(0, line_bytes_max))});
}

// The logger hands over a whole line in one call.
class tee final : public std::streambuf {
protected:
    std::streamsize xsputn(const char* data, std::streamsize size) override {
        keep({data, static_cast<size_t>(size)});
        return std::cerr.rdbuf()->sputn(data, size);
    }
    int_type overflow(int_type c) override { return std::cerr.rdbuf()->sputc(traits_type::to_char_type(c)); }
    int sync() override { return std::cerr.rdbuf()->pubsync(); }
};

// Never destroyed: something may log until the very end.
std::ostream& teed() {
    static auto* const buffer = new tee;
    static auto* const stream = new std::ostream(buffer);
    return *stream;
}

} // namespace

void own_log::listen() {
    seastar::logger::set_ostream(teed());
}

void own_log::stop_listening() {
    seastar::logger::set_ostream(std::cerr);
}

own_log::own_log(blobs::log_store& store)
    : _store(store), _timer([this] {
          if (!kept_lines.empty()) {
              shard::run_in_background(_work, "writing the own log", [this] { return write(); });
          }
      }) {}

void own_log::start() {
    _timer.arm_periodic(write_every);
}

seastar::future<> own_log::stop() {
    _timer.cancel();
    co_await _work.close();
    co_await write();
}

// Failures are told by nobody here: that would be the next line.
seastar::future<> own_log::write() {
    if (std::exchange(_is_writing, true)) {
        co_return;
    }
    const auto done = seastar::defer([this]() noexcept { _is_writing = false; });
    const auto lines = std::exchange(kept_lines, {});
    ingest::record_batcher batcher(_store);
    batcher.begin_piece(base::unix_ns(wall_clock()));
    for (const auto& line : lines) {
        batcher.take(
            {.time_ns = line.time_ns, .source = own_source, .level = line.level, .app = "downtick", .message = line.text});
    }
    if (const auto lost = std::exchange(lost_count, 0)) {
        const auto text = fmt::format("{} more lines are in no record", lost);
        batcher.take(
            {.time_ns = base::unix_ns(wall_clock()), .source = own_source, .level = 4, .app = "downtick", .message = text});
    }
    auto batches = batcher.drain();
    for (auto& batch : batches) {
        try {
            [[maybe_unused]] const auto stored = co_await _store.append(std::move(batch));
        } catch (...) {
            co_return; // memory is short
        }
    }
}

} // namespace server
