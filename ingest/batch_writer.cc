#include "ingest/batch_writer.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>
#include <seastar/core/sleep.hh>
#include <seastar/coroutine/as_future.hh>

#include "ingest/logger.hh"
#include "shard/background.hh"

namespace ingest {
namespace {

using base::errc;

// Of one writer. Large enough that parsing, messages and flushes overlap.
constexpr size_t window_bytes = size_t{2} << 20;
constexpr auto retry_after_min = std::chrono::milliseconds(10);
constexpr auto retry_after_max = std::chrono::milliseconds(500);

thread_local seastar::logger::rate_limit failure_log_rate(std::chrono::seconds(5));

} // namespace

batch_writer::batch_writer(intake& in, protocol p, patience how, seastar::abort_source& stopping)
    : _intake(in), _counters(in.counts(p)), _patience(how), _stopping(stopping),
      _memory(how == patience::endless ? in.in_flight_waiting() : in.in_flight()), _window(window_bytes) {}

seastar::future<> batch_writer::send_routed(clock::time_point received) {
    std::vector<routed_rows> rows;
    _intake.router().drain(rows);
    auto records = _intake.drain_records();
    if (!records.empty()) {
        co_await send_records(std::move(records), received);
    }
    if (!rows.empty()) {
        co_await send(std::move(rows), received);
    }
}

seastar::future<> batch_writer::send_records(std::vector<blobs::log_batch> batches, clock::time_point received) {
    for (auto& batch : batches) {
        const auto bytes = batch.raw_bytes;
        auto window = co_await seastar::get_units(_window, std::min(bytes, window_bytes));
        auto memory = co_await seastar::get_units(_memory, std::min(bytes, _intake.in_flight_bytes_max()));
        shard::run_in_background(_deliveries, "ingest",
                                 [this, batch = std::move(batch), received, window = std::move(window),
                                  memory = std::move(memory)]() mutable { return deliver_records(std::move(batch), received); });
    }
}

// What memory had no room for is not in the log: the store looks for that before it writes.
seastar::future<base::expected<void>> batch_writer::try_append(const blobs::log_batch& batch) {
    try {
        co_return co_await _intake.append(batch);
    } catch (const std::bad_alloc&) {
        co_return base::fail(errc::busy, "memory is short; try again later");
    }
}

// Trying again is safe: what was refused is not in the log.
seastar::future<> batch_writer::deliver_records(blobs::log_batch batch, clock::time_point received) {
    for (auto wait = retry_after_min;; wait = std::min<std::chrono::milliseconds>(2 * wait, retry_after_max)) {
        const auto done = co_await try_append(batch);
        if (done) {
            _counters.lag.add(clock::now() - received);
            co_return;
        }
        if (_patience == patience::none || !is_passing(done.error()) || _stopping.abort_requested()) {
            co_return note(done.error(), batch.records_count);
        }
        ++_counters.busy_retries;
        logger.log(seastar::log_level::warn, failure_log_rate, "senders have to wait: {}", base::to_string(done.error()));
        auto slept = co_await seastar::coroutine::as_future(seastar::sleep_abortable(wait, _stopping));
        slept.ignore_ready_future();
    }
}

seastar::future<> batch_writer::send(std::vector<routed_rows> rows, clock::time_point received) {
    if (std::ranges::any_of(rows, [](const routed_rows& r) { return r.missing.has_value(); })) {
        co_await make_missing(rows);
    }
    std::ranges::stable_sort(rows, {}, &routed_rows::owner);
    for (auto at = rows.begin(); at != rows.end();) {
        message m{.owner = at->owner};
        for (; at != rows.end() && at->owner == m.owner; ++at) {
            m.bytes += at->batch.size();
            m.rows_count += at->rows_count;
            m.batches.push_back(std::move(at->batch));
        }
        auto window = co_await seastar::get_units(_window, std::min(m.bytes, window_bytes));
        auto memory = co_await seastar::get_units(_memory, std::min(m.bytes, _intake.in_flight_bytes_max()));
        shard::run_in_background(_deliveries, "ingest",
                                 [this, m = std::move(m), received, window = std::move(window),
                                  memory = std::move(memory)]() mutable { return deliver(std::move(m), received); });
    }
}

// What stays without a table is taken out.
seastar::future<> batch_writer::make_missing(std::vector<routed_rows>& rows) {
    for (auto& r : rows) {
        if (!r.missing) {
            continue;
        }
        auto wait = retry_after_min;
        auto made = co_await _intake.make_table(*r.missing);
        while (!made && _patience == patience::endless && is_passing(made.error()) && !_stopping.abort_requested()) {
            auto slept = co_await seastar::coroutine::as_future(seastar::sleep_abortable(wait, _stopping));
            slept.ignore_ready_future();
            wait = std::min<std::chrono::milliseconds>(2 * wait, retry_after_max);
            made = co_await _intake.make_table(*r.missing);
        }
        if (made) {
            r.batch = for_table(*made, r.batch);
            r.missing.reset();
        } else {
            note(made.error(), r.rows_count);
        }
    }
    std::erase_if(rows, [](const routed_rows& r) { return r.missing.has_value(); });
}

seastar::future<> batch_writer::deliver(message m, clock::time_point received) {
    const auto done = co_await upsert(m);
    if (done) {
        _counters.lag.add(clock::now() - received);
    } else {
        note(done.error(), m.rows_count);
    }
}

seastar::future<base::expected<void>> batch_writer::try_upsert(message& m) {
    try {
        // Who tries again needs them again.
        co_return co_await _intake.upsert(m.owner, _patience == patience::endless ? m.batches : std::move(m.batches));
    } catch (const std::bad_alloc&) {
        co_return base::fail(errc::busy, "memory is used up; try again later");
    }
}

seastar::future<base::expected<void>> batch_writer::upsert(message& m) {
    for (auto wait = retry_after_min;; wait = std::min<std::chrono::milliseconds>(2 * wait, retry_after_max)) {
        // Merging the same rows twice is merging them once, so what was written of the batches does no harm.
        auto done = co_await try_upsert(m);
        if (done || _patience == patience::none || !is_passing(done.error()) || _stopping.abort_requested()) {
            co_return done;
        }
        ++_counters.busy_retries;
        logger.log(seastar::log_level::warn, failure_log_rate, "senders have to wait: {}", base::to_string(done.error()));
        auto slept = co_await seastar::coroutine::as_future(seastar::sleep_abortable(wait, _stopping));
        slept.ignore_ready_future();
    }
}

void batch_writer::note(base::error e, uint64_t rows_count) {
    _counters.rows_lost += rows_count;
    if (_patience == patience::endless) {
        logger.log(seastar::log_level::error, failure_log_rate, "{} rows could not be stored: {}", rows_count,
                   base::to_string(e));
    }
    if (!_failure) {
        _failure = std::move(e);
    }
}

// How many rows were lost then nobody counted.
void batch_writer::note_unsent(std::exception_ptr why) {
    try {
        std::rethrow_exception(why);
    } catch (const std::bad_alloc&) {
        note({errc::busy, "memory is used up; try again later"}, 0);
    }
}

seastar::future<base::expected<void>> batch_writer::drain() {
    auto sent = co_await seastar::coroutine::as_future(send_routed());
    co_await _deliveries.close(); // whatever happened: nothing may be under way when the writer ends
    if (sent.failed()) {
        note_unsent(sent.get_exception());
    }
    if (_failure) {
        co_return std::unexpected(*_failure);
    }
    co_return base::expected<void>();
}

} // namespace ingest
