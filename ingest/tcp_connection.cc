#include "ingest/tcp_connection.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>
#include <seastar/core/shared_ptr.hh>
#include <seastar/core/sleep.hh>
#include <seastar/coroutine/as_future.hh>

#include "ingest/log_streams.hh"
#include "ingest/logger.hh"
#include "shard/free_memory.hh"

namespace ingest {
namespace {

// One bad line of a piece is an example; the counters have them all.
constexpr size_t listed_max = 1;
// What lines behind an open string may lose of the 100 ms in which they are to be stored.
constexpr auto string_patience = std::chrono::milliseconds(40);
constexpr auto memory_pause = std::chrono::milliseconds(10);

thread_local seastar::logger::rate_limit bad_line_log_rate(std::chrono::seconds(5));
thread_local seastar::logger::rate_limit trouble_log_rate(std::chrono::seconds(5));

std::unique_ptr<stream> open_stream_of(intake& in, protocol p) {
    switch (p) {
    case protocol::graphite: return std::make_unique<graphite_stream>(in, listed_max);
    case protocol::json: return std::make_unique<json_stream>(in, listed_max);
    case protocol::syslog: return std::make_unique<syslog_stream>(in, listed_max);
    default: return std::make_unique<line_protocol_stream>(in, p, listed_max);
    }
}

} // namespace

tcp_connection::tcp_connection(http::client_socket socket, seastar::socket_address peer, context& c)
    : _context(c), _peer(peer), _wire(std::move(socket), c.waits, c.wire_counts), _lines(open_stream_of(c.in, c.spoken)),
      _writer(c.in, c.spoken, patience::endless, c.stopping) {}

// Whatever goes wrong in one of these, those behind it have to happen.
seastar::future<> tcp_connection::run() {
    log_trouble(co_await seastar::coroutine::as_future(take_all()));
    log_trouble(seastar::futurize_invoke([this] { _lines->abandon(); }));
    log_rejected();
    log_trouble(co_await seastar::coroutine::as_future(_writer.drain().discard_result()));
    co_await _wire.close();
}

void tcp_connection::log_trouble(seastar::future<> done) {
    if (done.failed()) {
        logger.log(seastar::log_level::error, trouble_log_rate, "{} from {}: {}", name(_context.spoken), _peer,
                   done.get_exception());
    }
}

// Nobody can be told to send it again, so it is taken when there is room for what it becomes.
seastar::future<> tcp_connection::wait_for_memory(size_t bytes) {
    while (shard::is_memory_short(2 * bytes) && !_context.stopping.abort_requested()) {
        logger.log(seastar::log_level::warn, trouble_log_rate, "{} from {} has to wait: memory is short", name(_context.spoken),
                   _peer);
        auto slept = co_await seastar::coroutine::as_future(seastar::sleep_abortable(memory_pause, _context.stopping));
        slept.ignore_ready_future();
    }
}

seastar::future<http::wire::buffer> tcp_connection::read() {
    const auto idle_end = http::wire::clock::now() + _context.waits.idle;
    return _wire.read(_lines->has_begun_line() ? std::min(idle_end, _begun_at + _context.line_max) : idle_end);
}

// The string may go on with the next bytes; but when they do not come in time, lines behind it must not wait longer. What came
// while nothing was read is looked at first.
seastar::future<http::wire::buffer> tcp_connection::read_beside_open_string() {
    auto came = seastar::make_lw_shared<seastar::abort_source>();
    auto reading = read().finally([came] { came->request_abort(); });
    const auto left = _string_open_at + string_patience - http::wire::clock::now();
    if (!reading.available() && left > left.zero()) {
        auto waited = co_await seastar::coroutine::as_future(seastar::sleep_abortable(left, *came));
        waited.ignore_ready_future();
    }
    if (!reading.available()) {
        auto given_up = co_await seastar::coroutine::as_future(give_up_string());
        if (given_up.failed()) {
            _wire.cut(); // nothing may be read when this ends
            co_await std::move(reading);
            co_await std::move(given_up);
        }
    }
    co_return co_await std::move(reading);
}

seastar::future<> tcp_connection::give_up_string() {
    _lines->give_up_string();
    _begun_at = http::wire::clock::now();
    log_rejected();
    co_await _writer.send_routed(arrival::now() - string_patience);
}

bool tcp_connection::feed(http::wire::buffer piece) {
    const auto now = http::wire::clock::now();
    const auto lines_before = _lines->lines_count();
    const bool had_begun_line = _lines->has_begun_line();
    const bool had_open_string = _lines->has_open_string();
    const bool has_memory = _lines->feed({piece.get(), piece.size()});
    const bool is_same_line = had_begun_line && _lines->lines_count() == lines_before;
    _begun_at = is_same_line ? _begun_at : now;
    _string_open_at = is_same_line && had_open_string ? _string_open_at : now;
    return has_memory;
}

seastar::future<> tcp_connection::take_all() {
    for (;;) {
        auto piece = co_await (_lines->has_open_string() ? read_beside_open_string() : read());
        const auto received = arrival::now();
        const auto came = http::wire::clock::now();
        if (piece.empty()) {
            co_return;
        }
        co_await wait_for_memory(piece.size());
        const bool has_memory = feed(std::move(piece)); // an idle connection keeps no buffer
        if (_lines->has_open_string() && came > _string_open_at + string_patience) {
            _lines->give_up_string();
        }
        log_rejected();
        co_await _writer.send_routed(received);
        _string_open_at += http::wire::clock::now() - came; // nothing was read: not the sender's time
        if (!has_memory) {
            logger.log(seastar::log_level::warn, trouble_log_rate, "{} from {} is cut off: the memory for long lines is used up",
                       name(_context.spoken), _peer);
            co_return;
        }
        // Anything else concerned some rows only: a table that was dropped meanwhile, say.
        if (const auto& e = _writer.failure(); e && (e->code == base::errc::log_failed || e->code == base::errc::shutting_down)) {
            co_return;
        }
    }
}

void tcp_connection::log_rejected() {
    if (!_lines->rejected().empty()) {
        const auto& example = _lines->rejected().front();
        logger.log(seastar::log_level::warn, bad_line_log_rate, "{} from {}: line {}: {}; {} bad line(s) so far",
                   name(_context.spoken), _peer, example.line, reason(example.fault), _lines->rejected_count());
        _lines->clear_rejected();
    }
}

} // namespace ingest
