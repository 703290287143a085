#include "compaction/retention.hh"

#include <algorithm>
#include <functional>
#include <iterator>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/metrics.hh>

#include "compaction/logger.hh"
#include "shard/background.hh"
#include "tables/core/dropped_periods.hh"

namespace compaction {
namespace {

int64_t steady_ticks() {
    using ticks = std::chrono::duration<int64_t, std::ratio<1, base::ticks_per_second>>;
    return std::chrono::duration_cast<ticks>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

using usage_map = std::map<base::table_id, uint64_t>;

usage_map sum_of_usage(usage_map all, const std::vector<tables::engine::table_usage>& more) {
    for (const auto& u : more) {
        all[u.table] += u.segment_bytes;
    }
    return all;
}

struct dated_table {
    const tables::table_info& table;
    base::tick end; // of its period
};

// Those that the policy of that name is about. The tables of a family know their period; those that a user names by date say it
// in their names. Where there is such a family the policy is the family's alone: it never takes a table that somebody else has
// made.
std::vector<dated_table> tables_under(const std::string& policy_name, const std::vector<tables::table_info>& all) {
    std::vector<dated_table> of_family, by_name;
    for (const auto& t : all) {
        if (t.family && t.family->family == policy_name) {
            of_family.push_back({t, tables::end_of(t.family->period, t.family->period_start)});
        } else if (const auto end = t.family ? std::nullopt : end_of_dated_name(t.name, policy_name)) {
            by_name.push_back({t, *end});
        }
    }
    return of_family.empty() ? by_name : of_family;
}

} // namespace

retention::retention(seastar::sharded<tables::engine>& engines, retention_config config)
    : _engines(engines), _config(std::move(config)),
      _timer([this] { shard::run_in_background(_work, "retention", [this] { return run_by_itself(); }); }) {
    register_metrics();
}

void retention::start() {
    _watch.check(_config.now(), steady_ticks());
    _timer.arm_periodic(_config.every);
}

seastar::future<> retention::stop() {
    _timer.cancel();
    co_await _work.close();
}

std::vector<retention_policy> retention::policies() const {
    return tables::all_retention(_engines.local().catalog(), _config.account);
}

seastar::future<base::expected<void>> retention::set(retention_policy policy) {
    const bool is_unset = !policy.period && policy.keep_ticks == 0 && policy.max_bytes == 0;
    const auto known = policies();
    if (!is_unset && known.size() >= _config.policies_max &&
        !std::ranges::contains(known, policy.name, &retention_policy::name)) {
        co_return base::fail(base::errc::invalid_argument,
                             fmt::format("there are {} policies already, and no room for more", _config.policies_max));
    }
    auto done = co_await _engines.local().set_attribute(tables::retention_edit(_config.account, policy));
    if (done && is_unset) {
        co_return co_await _engines.local().set_attribute(tables::forget_dropped(_config.account, policy.name));
    }
    co_return done;
}

seastar::future<std::vector<aged_table>> retention::tables_of(std::string policy_name) const {
    const auto bytes =
        co_await _engines.map_reduce0([](const tables::engine& e) { return e.usage_here(); }, usage_map(), sum_of_usage);
    std::vector<aged_table> tables;
    const auto all = _engines.local().catalog().list(_config.account, {}, tables::tables_count_max);
    for (const auto& [t, end] : tables_under(policy_name, all)) {
        const auto used = bytes.find(t.id);
        tables.push_back({t.id, t.account, t.name, end, used == bytes.end() ? 0 : used->second});
    }
    if (_config.log_periods) {
        auto periods = co_await _config.log_periods(policy_name);
        std::ranges::move(periods, std::back_inserter(tables));
    }
    co_return tables;
}

seastar::future<std::vector<table_to_drop>> retention::due(retention_policy policy) const {
    auto tables = co_await tables_of(policy.name);
    co_return tables_to_drop(policy, std::move(tables), _config.now());
}

std::map<base::table_id, base::tick> retention::next_drops() const {
    std::map<base::table_id, base::tick> drops;
    const auto all = _engines.local().catalog().list(_config.account, {}, tables::tables_count_max);
    for (const auto& policy : policies()) {
        for (const auto& [t, end] : tables_under(policy.name, all)) {
            if (const auto when = next_drop(policy, end)) {
                const auto known = drops.try_emplace(t.id, *when).first;
                known->second = std::min(known->second, *when);
            }
        }
    }
    return drops;
}

// A row that lies in several places counts as often.
seastar::future<uint64_t> retention::rows_of(base::table_id table) const {
    return _engines.map_reduce0(
        [table](const tables::engine& e) {
            uint64_t count = 0;
            for (const auto& u : e.usage_here()) {
                count += u.table == table ? u.rows_count : 0;
            }
            return count;
        },
        uint64_t{0}, std::plus<>());
}

seastar::future<base::expected<void>> retention::remove(const aged_table& t) {
    return t.log_period ? _config.drop_log_period(t.name, *t.log_period) : _engines.local().drop_table(t.account, t.name);
}

seastar::future<bool> retention::drop(const table_to_drop& doomed, retention_report& report) {
    const auto rows_count = co_await rows_of(doomed.table.id);
    const auto done = co_await remove(doomed.table);
    if (!done) {
        report.failures.push_back(doomed.table.name + ": " + base::to_string(done.error()));
        logger.warn("{} could not be dropped: {}", doomed.table.name, base::to_string(done.error()));
        co_return false;
    }
    ++_drops_total;
    _bytes_total += doomed.table.bytes;
    report.bytes += doomed.table.bytes;
    report.dropped.push_back(doomed);
    const auto sentence =
        fmt::format("dropped {} {}, which ended {}: {}, {}{} bytes", doomed.table.log_period ? "an hour of source" : "table",
                    doomed.table.name, base::to_text(doomed.table.end), reason_text(doomed.reason),
                    doomed.table.log_period ? "" : fmt::format("{} rows, ", rows_count), doomed.table.bytes);
    logger.info("{}", sentence);
    if (_config.audit) {
        co_await _config.audit(sentence);
    }
    co_return true;
}

seastar::future<retention_report> retention::run(bool is_dry) {
    const auto hold = _work.hold();
    const auto turn = co_await seastar::get_units(_turn, 1);
    retention_report report;
    const auto all = policies();
    for (const auto& policy : all) {
        const auto doomed = co_await due(policy);
        for (const auto& d : doomed) {
            if (is_dry) {
                report.dropped.push_back(d);
                report.bytes += d.table.bytes;
            } else {
                co_await drop(d, report);
            }
        }
    }
    co_return report;
}

seastar::future<uint64_t> retention::passing_bytes() const {
    return _engines.map_reduce0([](const tables::engine& e) { return e.passing_bytes_here(); }, uint64_t{0}, std::plus<>());
}

seastar::future<retention_report> retention::drop_oldest(uint64_t bytes_wanted) {
    const auto hold = _work.hold();
    const auto turn = co_await seastar::get_units(_turn, 1);
    retention_report report;
    if (!is_clock_good()) {
        co_return report;
    }
    std::vector<aged_table> tables;
    const auto all = policies();
    for (const auto& policy : all) {
        auto some = co_await tables_of(policy.name);
        leave_newest(some);
        std::ranges::move(some, std::back_inserter(tables));
    }
    const auto doomed = oldest_to_drop(std::move(tables), _config.now(), bytes_wanted);
    for (const auto& d : doomed) {
        co_await drop(d, report);
    }
    co_return report;
}

bool retention::is_clock_good() {
    if (_is_automatic && !_watch.check(_config.now(), steady_ticks())) {
        _is_automatic = false;
        logger.warn(
            "the clock has jumped by more than an hour: nothing is dropped automatically until the server is started again; "
            "POST /v1/retention/run drops what is due by the clock as it is now");
    }
    return _is_automatic;
}

// One table of a policy at a time, with a pause: a wrong clock or policy must not empty a store while somebody looks away.
seastar::future<> retention::run_by_itself() {
    if (!is_clock_good() || _turn.current() == 0) {
        co_return;
    }
    const auto turn = co_await seastar::get_units(_turn, 1);
    retention_report report;
    const auto all = policies();
    for (const auto& policy : all) {
        const auto last = _last_drops.find(policy.name);
        if (last != _last_drops.end() && clock::now() - last->second < _config.pause) {
            continue;
        }
        const auto doomed = co_await due(policy);
        if (!doomed.empty() && co_await drop(doomed.front(), report)) {
            _last_drops[policy.name] = clock::now();
        }
    }
}

void retention::register_metrics() {
    namespace sm = seastar::metrics;
    _metrics.add_group("compaction", {
                                         sm::make_counter("retention_drops_total", _drops_total,
                                                          sm::description("Tables dropped because their time was over")),
                                         sm::make_counter("retention_bytes_total", _bytes_total,
                                                          sm::description("Bytes of segments of those tables")),
                                         sm::make_gauge(
                                             "retention_is_automatic", [this] { return _is_automatic ? 1 : 0; },
                                             sm::description("0: the clock has jumped, nothing is dropped")),
                                     });
}

} // namespace compaction
