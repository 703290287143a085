#include "server/disk_http.hh"

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>

#include "shard/dma_disk.hh"

namespace server {
namespace {

// The catalog and the manifests; two copies each.
const std::string manifest_folder = "manifest";

struct part_usage {
    uint64_t files_count = 0;
    uint64_t bytes = 0;

    std::string json() const { return fmt::format(R"({{"files":{},"bytes":{}}})", files_count, bytes); }
};

struct store_usage {
    part_usage log, segments, blobs;

    store_usage operator+(const store_usage& other) const {
        const auto add = [](const part_usage& a, const part_usage& b) {
            return part_usage{a.files_count + b.files_count, a.bytes + b.bytes};
        };
        return {add(log, other.log), add(segments, other.segments), add(blobs, other.blobs)};
    }
};

store_usage usage_here(const tables::engine& engine, const blobs::log_store& logs) {
    const auto rows = engine.disk_usage_here();
    const auto records = logs.disk_usage_here();
    return {{rows.log_files_count, rows.log_bytes},
            {rows.segment_files_count, rows.segment_bytes},
            {records.files_count, records.bytes}};
}

seastar::future<> add_file(shard::disk& disk, std::string path, part_usage& usage) {
    auto file = co_await disk.open(std::move(path), shard::open_mode::read);
    ++usage.files_count;
    usage.bytes += co_await file->size();
    co_await file->close();
}

// They are few, and a history may be exchanged for a shorter one at any moment: a file that has gone takes nothing.
seastar::future<part_usage> edits_usage(shard::disk& disk) {
    part_usage usage;
    std::vector<std::string> paths;
    const auto top = co_await disk.list("");
    for (const auto& name : top) {
        if (name.starts_with("catalog.") || name.starts_with("identity")) {
            paths.push_back(name);
        }
    }
    const auto manifests = co_await disk.list(manifest_folder);
    for (const auto& name : manifests) {
        paths.push_back(manifest_folder + '/' + name);
    }
    for (const auto& path : paths) {
        try {
            co_await add_file(disk, path, usage);
        } catch (const std::system_error& e) {
            if (e.code() != std::errc::no_such_file_or_directory) {
                throw;
            }
        }
    }
    co_return usage;
}

seastar::future<> tell_disk(const disk_sources& from, http::reply_writer& reply) {
    shard::dma_disk disk(from.data);
    const auto space = co_await disk.space();
    const auto edits = co_await edits_usage(disk);
    const auto stores = co_await from.tables.map_reduce0(
        [&logs = from.logs](const tables::engine& e) { return usage_here(e, logs.local()); }, store_usage(), std::plus<>());
    const auto used = stores.log.bytes + stores.segments.bytes + stores.blobs.bytes + edits.bytes;
    auto json = fmt::format(R"({{"total_bytes":{},"free_bytes":{},"reserve_bytes":{},"high_water_bytes":{},"used_bytes":{},)"
                            R"("log":{},"segments":{},"blobs":{},"edits":{}}})",
                            space.total_bytes, space.free_bytes, from.plan.reserve_bytes,
                            from.plan.high_water_bytes > 0 ? fmt::to_string(from.plan.high_water_bytes) : "null", used,
                            stores.log.json(), stores.segments.json(), stores.blobs.json(), edits.json());
    co_await reply.send(200, {http::json_type}, json + "\n");
}

} // namespace

void add_disk_route(http::router& routes, disk_sources from) {
    routes.add_strict("GET", "/v1/disk", {},
                      [from = std::move(from)](http::request&, http::path_parameters, http::reply_writer& reply) {
                          return tell_disk(from, reply);
                      });
}

} // namespace server
