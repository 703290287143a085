#include "http/connection.hh"

#include <algorithm>
#include <exception>

#include <seastar/core/coroutine.hh>
#include <seastar/coroutine/as_future.hh>

#include "http/logger.hh"

namespace http {

static constexpr size_t logged_path_bytes_max = 200;
// A handler that fails for one request is likely to fail for a thousand.
static thread_local seastar::logger::rate_limit failure_log_rate(std::chrono::seconds(1));

connection::connection(client_socket socket, seastar::socket_address peer, const connection_context& context)
    : _context(context), _peer(peer), _wire(std::move(socket), context.config.waits, context.reply.counts),
      _input(_wire, context.config.limits, context.config.waits) {}

seastar::future<> connection::run() {
    auto served = co_await seastar::coroutine::as_future(serve());
    served.ignore_ready_future(); // the client went away in the middle of a reply
    co_await _wire.close();
}

seastar::future<> connection::turn_away() {
    auto told = co_await seastar::coroutine::as_future(reply_to_broken({503, "too many connections"}));
    told.ignore_ready_future();
    co_await _wire.close();
}

seastar::future<> connection::serve() {
    while (!_context.reply.is_stopping) {
        auto has_head = co_await _input.next_head();
        if (!has_head) {
            ++_context.reply.counts.protocol_errors;
            co_return co_await reply_to_broken(has_head.error());
        }
        if (!*has_head || !co_await serve_request()) {
            co_return;
        }
    }
}

// False when the connection must end.
seastar::future<bool> connection::serve_request() {
    ++_context.reply.counts.requests;
    body_reader body(_input, _wire);
    reply_writer reply(_wire, _input.head(), &body, _context.reply);
    request req{_input.head(), _peer, body, _wire.disconnected(), _wire.is_secure()};
    co_await call_handler(req, reply);
    _context.reply.counts.protocol_errors += _input.has_failed();
    if (!reply.is_finished() || _wire.is_broken()) {
        co_return false;
    }
    if (reply.keeps_connection() && co_await drain()) {
        co_return true;
    }
    if (!_input.is_complete() || _input.has_buffered()) {
        co_await linger(_context.config.waits.body_progress);
    }
    co_return false;
}

static bool is_out_of_memory(const std::exception_ptr& failure) {
    try {
        std::rethrow_exception(failure);
    } catch (const std::bad_alloc&) {
        return true;
    } catch (...) {
        return false;
    }
}

seastar::future<> connection::call_handler(request& req, reply_writer& reply) {
    auto handled = co_await seastar::coroutine::as_future(seastar::futurize_invoke(_context.handle, req, reply));
    if (!handled.failed() && reply.is_finished()) [[likely]] {
        co_return;
    }
    auto failure = handled.failed() ? handled.get_exception() : std::make_exception_ptr(std::logic_error("no reply"));
    if (_wire.is_broken()) {
        co_return; // what a handler is left with when its client is gone
    }
    logger.log(seastar::log_level::error, failure_log_rate, "{}: {} {}: {}", _context.config.face, req.head.method,
               req.head.path.substr(0, logged_path_bytes_max), failure);
    if (!reply.is_started()) {
        reply.close_after();
        co_await reply.send_error(is_out_of_memory(failure) ? protocol_error{503, "memory is short; try again later"}
                                                            : protocol_error{500, "internal error"});
    }
}

// Reads away what the handler left of the body. False when that is too much.
seastar::future<bool> connection::drain() {
    for (size_t drained = 0; !_input.is_complete();) {
        auto piece = co_await _input.next_piece();
        if (!piece || (drained += piece->size()) > drain_bytes_max) {
            co_return false;
        }
    }
    co_return true;
}

// The place in the stream is lost, or never was one: answer as to an unknown request and end.
seastar::future<> connection::reply_to_broken(protocol_error error) {
    const request_head unknown{};
    reply_writer reply(_wire, unknown, nullptr, _context.reply);
    co_await reply.send_error(error);
    co_await linger(_context.config.waits.linger);
}

// Closing a socket with unread input resets it, and the reset may overtake the reply. So the end of output is shown first and
// input read away: most clients look for a reply only when they have sent their whole body. Over TLS the end of output would be
// the end of input, too; there the client closes once it has read the reply.
seastar::future<> connection::linger(deadlines::duration patience) {
    if (!_wire.is_secure()) {
        _wire.shutdown_output();
    }
    const auto end = wire::clock::now() + patience;
    for (size_t drained = 0; drained <= linger_bytes_max;) {
        auto bytes = co_await _wire.read(std::min(end, wire::clock::now() + _context.config.waits.linger));
        if (bytes.empty()) {
            co_return;
        }
        drained += bytes.size();
    }
}

void connection::end_if_idle() {
    if (_input.is_idle()) {
        _wire.shutdown_input();
    }
}

} // namespace http
