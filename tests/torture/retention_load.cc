#include "tests/torture/retention_load.hh"

#include <ctime>
#include <thread>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "tests/torture/table_client.hh"

namespace torture {
namespace {

const std::string old_table = "Aged20200101";
constexpr auto between_runs = std::chrono::milliseconds(200);

std::string table_of_this_month() {
    return fmt::format("Aged{:%Y%m}", fmt::gmtime(std::time(nullptr)));
}

const table_change create{table_change::kind::create};
const table_change fill{
    table_change::kind::write,
    {{verb::insert_or_replace, "p", "kept", {{"x", "1"}}}, {verb::insert_or_replace, "p", "too", {{"x", "2"}}}}};

} // namespace

retention_load::retention_load(verdict& v) : _current(table_of_this_month(), v) {}

bool retention_load::prepare(site& s, table_client& client) {
    for (const auto& change : {create, fill}) {
        _current.sent(change);
        const int status = client.change(_current.name(), change);
        if (status == 204 || status == 409) {
            _current.answered(status);
        } else {
            _current.unknown();
            return false;
        }
    }
    http_connection native(s.native_port);
    const auto set = native.send({.method = "PUT", .target = "/v1/retention/Aged", .body = R"({"keep":"40d"})"});
    return set && set->is_ok();
}

void retention_load::run(site& s, std::mt19937_64&) {
    table_client client(s.table_port, s.clock);
    for (; !s.is_over; std::this_thread::sleep_for(between_runs)) {
        // A run obeys the wall clock, so it must be the true one; and what is signed must not be overtaken by a step.
        const std::shared_lock true_time(s.clock.turn());
        if (s.clock.offset() != std::chrono::seconds(0)) {
            continue;
        }
        if (!_is_prepared && !(_is_prepared = prepare(s, client))) {
            continue;
        }
        cycle(s, client);
    }
}

void retention_load::cycle(site& s, table_client& client) {
    // It may be there from before, or go as soon as it is made: the server runs its policies too.
    client.change(old_table, create);
    client.change(old_table, fill);
    http_connection native(s.native_port);
    const auto run = native.send({.method = "POST", .target = "/v1/retention/run"});
    if (!run || !run->is_ok()) {
        return;
    }
    const auto gone = client.read(old_table);
    if (gone && gone->exists) {
        s.found.violated("P1", old_table + " is there after a run of retention: " + run->body);
    }
    _runs_count += gone && !gone->exists;
}

size_t retention_load::verify(site& s, depth, damage expected) {
    table_client client(s.table_port, s.clock);
    const auto seen = client.read(_current.name());
    if (!seen) {
        if (expected == damage::none) {
            s.found.violated("P3", _current.name() + " cannot be read");
        }
        return 1;
    }
    _current.check_settled(*seen, "after a start; it is not to be dropped");
    return 0;
}

} // namespace torture
