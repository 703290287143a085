#include "server/own_metrics.hh"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/metrics_api.hh>
#include <seastar/core/smp.hh>
#include <seastar/util/defer.hh>

#include "ingest/batch_writer.hh"
#include "ingest/stream.hh"
#include "server/logger.hh"
#include "shard/background.hh"

namespace server {
namespace {

constexpr auto first_after = std::chrono::seconds(1);

struct own_field {
    std::string_view name;
    std::string_view metric; // as it is registered; those that differ only in labels are added up
};

constexpr std::array own_fields{
    own_field{"ingest_lines", "ingest_lines_total"},
    own_field{"ingest_bytes", "ingest_bytes_total"},
    own_field{"ingest_rejected", "ingest_rejected_total"},
    own_field{"rows_written", "tables_rows_written_total"},
    own_field{"refused_busy", "tables_refused_busy_total"},
    own_field{"http_replies", "http_replies_total"},
    own_field{"memory_used_bytes", "memory_allocated_memory"},
    own_field{"memory_free_bytes", "memory_free_memory"},
    own_field{"memtable_bytes", "tables_memtable_bytes"},
    own_field{"segment_bytes", "tables_segment_bytes"},
    own_field{"blob_bytes", "blobs_stored_bytes"},
    own_field{"flush_bytes", "tables_flush_bytes_total"},
    own_field{"merge_bytes", "compaction_written_bytes_total"},
    own_field{"log_lag_us", "shard_log_lag_us"},
};
using figures = std::array<double, own_fields.size()>;

figures figures_here() {
    figures sums{};
    const auto values = seastar::metrics::impl::get_values();
    auto row = values->values.begin();
    for (const auto& family : *values->metadata) {
        const auto found = std::ranges::find(own_fields, std::string_view(family.mf.name), &own_field::metric);
        if (found != own_fields.end()) {
            for (const auto& value : *row) {
                sums[static_cast<size_t>(found - own_fields.begin())] += value.d();
            }
        }
        ++row;
    }
    return sums;
}

std::string line_of(unsigned shard, const figures& sums) {
    auto line = fmt::format("{},shard={} ", own_family, shard);
    for (size_t i = 0; i < own_fields.size(); ++i) {
        line += fmt::format("{}{}={}i", i == 0 ? "" : ",", own_fields[i].name, static_cast<int64_t>(sums[i]));
    }
    return line + '\n';
}

seastar::future<std::string> own_lines(shard::disk& disk) {
    std::string lines;
    for (unsigned shard : seastar::smp::all_cpus()) {
        const auto sums = co_await seastar::smp::submit_to(shard, figures_here);
        lines += line_of(shard, sums);
    }
    const auto space = co_await disk.space();
    co_return lines + fmt::format("{},disk=data used_bytes={}i,free_bytes={}i\n", own_family,
                                  space.total_bytes - space.free_bytes, space.free_bytes);
}

} // namespace

own_metrics::own_metrics(ingest::intake& in, shard::disk& disk, std::chrono::seconds every)
    : _intake(in), _disk(disk), _every(every),
      _timer([this] { shard::run_in_background(_work, "writing the server's own metrics", [this] { return write(); }); }) {}

void own_metrics::start() {
    _timer.arm(seastar::timer<>::clock::now() + first_after, _every);
}

seastar::future<> own_metrics::stop() {
    _timer.cancel();
    _stopping.request_abort();
    return _work.close();
}

// Where there is no room or no time for them, these points are the ones to leave out.
seastar::future<> own_metrics::write() {
    if (std::exchange(_is_writing, true)) {
        co_return;
    }
    const auto done = seastar::defer([this]() noexcept { _is_writing = false; });
    const auto text = co_await own_lines(_disk);
    ingest::line_protocol_stream lines(_intake, ingest::protocol::line_http, 0);
    ingest::batch_writer writer(_intake, ingest::protocol::line_http, ingest::patience::none, _stopping);
    if (lines.feed(text)) {
        lines.finish();
        co_await writer.send_routed();
    }
    if (const auto stored = co_await writer.drain(); !stored) {
        logger.debug("{}", base::to_string(stored.error()));
    }
}

} // namespace server
