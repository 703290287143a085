#include "ingest/tcp_connection.hh"

#include <seastar/core/coroutine.hh>
#include <seastar/core/sleep.hh>
#include <seastar/coroutine/as_future.hh>

#include "ingest/log_streams.hh"
#include "ingest/logger.hh"
#include "shard/free_memory.hh"

namespace ingest {
namespace {

// One bad line of a piece is an example; the counters have them all.
constexpr size_t listed_max = 1;
constexpr auto memory_pause = std::chrono::milliseconds(10);

thread_local seastar::logger::rate_limit bad_line_log_rate(std::chrono::seconds(5));
thread_local seastar::logger::rate_limit trouble_log_rate(std::chrono::seconds(5));

std::unique_ptr<stream> open_stream(intake& in, protocol p) {
    switch (p) {
    case protocol::graphite: return std::make_unique<graphite_stream>(in, listed_max);
    case protocol::json: return std::make_unique<json_stream>(in, listed_max);
    case protocol::syslog: return std::make_unique<syslog_stream>(in, listed_max);
    default: return std::make_unique<line_protocol_stream>(in, p, listed_max);
    }
}

} // namespace

tcp_connection::tcp_connection(http::client_socket socket, seastar::socket_address peer, context& c)
    : _context(c), _peer(peer), _wire(std::move(socket), c.waits, c.wire_counts), _lines(open_stream(c.in, c.spoken)),
      _writer(c.in, c.spoken, patience::endless, c.stopping) {}

seastar::future<> tcp_connection::run() {
    auto taken = co_await seastar::coroutine::as_future(take_all());
    if (taken.failed()) {
        log.log(seastar::log_level::error, trouble_log_rate, "{} from {}: {}", name(_context.spoken), _peer,
                taken.get_exception());
    }
    _lines->abandon();
    log_rejected();
    co_await _writer.drain();
    co_await _wire.close();
}

// Nobody can be told to send it again, so it is taken when there is room for what it becomes.
seastar::future<> tcp_connection::wait_for_memory(size_t bytes) {
    while (shard::is_memory_short(2 * bytes) && !_context.stopping.abort_requested()) {
        log.log(seastar::log_level::warn, trouble_log_rate, "{} from {} has to wait: memory is short", name(_context.spoken),
                _peer);
        auto slept = co_await seastar::coroutine::as_future(seastar::sleep_abortable(memory_pause, _context.stopping));
        slept.ignore_ready_future();
    }
}

seastar::future<> tcp_connection::take_all() {
    for (;;) {
        auto piece = co_await _wire.read(http::wire::clock::now() + _context.waits.idle);
        if (piece.empty()) {
            co_return;
        }
        co_await wait_for_memory(piece.size());
        const bool has_memory = _lines->feed({piece.get(), piece.size()});
        piece = {}; // an idle connection keeps no buffer
        log_rejected();
        co_await _writer.send_routed();
        if (!has_memory) {
            log.log(seastar::log_level::warn, trouble_log_rate, "{} from {} is cut off: the memory for long lines is used up",
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
        log.log(seastar::log_level::warn, bad_line_log_rate, "{} from {}: line {}: {}; {} bad line(s) so far",
                name(_context.spoken), _peer, example.line, reason(example.fault), _lines->rejected_count());
        _lines->clear_rejected();
    }
}

} // namespace ingest
