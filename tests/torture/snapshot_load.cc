#include "tests/torture/snapshot_load.hh"

#include <filesystem>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "tests/server/server_process.hh"
#include "tests/torture/http_connection.hh"

namespace torture {
namespace {

constexpr auto between_snapshots = std::chrono::milliseconds(400);
constexpr int64_t mark_step_ns = 1'000'000;
constexpr int64_t marks_begin_ns = 1'700'000'000'000'000'000;
// The server is busy, has no memory for it, or is coming to its end.
const std::set<int> passing{409, 429, 503, 507};

} // namespace

void snapshot_load::run(site& s, std::mt19937_64&) {
    for (; !s.is_over; std::this_thread::sleep_for(between_snapshots)) {
        take(s);
    }
}

void snapshot_load::take(site& s) {
    http_connection native(s.native_port);
    const auto mark = ++_number;
    const auto line = fmt::format("snapmark n={}i {}", mark, marks_begin_ns + static_cast<int64_t>(mark) * mark_step_ns);
    const auto written = native.send({.method = "POST", .target = "/write", .body = line});
    if (!written || !written->is_ok()) {
        return;
    }
    std::filesystem::remove_all(_last.directory);
    _last = {fmt::format("{}-{}", _place, mark), mark, false};
    const auto taken = native.send({.method = "POST", .target = "/v1/snapshot?dir=" + _last.directory});
    _last.is_taken = taken && taken->is_ok();
    _taken_count += _last.is_taken ? 1 : 0;
    if (taken && !taken->is_ok() && !passing.contains(taken->status)) {
        s.found.violated("P4", fmt::format("a snapshot answers {}: {}", taken->status, taken->body));
    }
}

size_t snapshot_load::verify(site& s, depth, damage expected) {
    // It shares its files with what is damaged.
    if (expected == damage::expected || _last.directory.empty()) {
        return 0;
    }
    const bool is_there = std::filesystem::exists(_last.directory);
    if (_last.is_taken && !is_there) {
        s.found.violated("P1", _last.directory + " was taken and is not there");
    } else if (is_there) {
        look_into(_last, s.found);
    }
    std::filesystem::remove_all(_last.directory);
    _last = {};
    return 0;
}

void snapshot_load::look_into(const snapshot& seen, verdict& v) const {
    testing_lib::running_server server(seen.directory, {"--smp", "1", "--memory", "128M"});
    const auto newest = server.get("/v1/tail?from=family:snapmark&n=1");
    if (!newest) {
        v.violated("P4", seen.directory + " does not start");
        return;
    }
    if (!newest->body.contains(fmt::format("\"n\":{}}}", seen.mark))) {
        v.violated("P1", fmt::format("{} does not have mark {}: {}", seen.directory, seen.mark, newest->body));
    }
}

} // namespace torture
