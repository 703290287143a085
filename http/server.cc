#include "http/server.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>
#include <seastar/core/reactor.hh>
#include <seastar/core/seastar.hh>
#include <seastar/core/sleep.hh>
#include <seastar/coroutine/as_future.hh>

#include "http/logger.hh"

namespace http {

static thread_local seastar::logger::rate_limit accept_log_rate(std::chrono::seconds(1));

// Out of file descriptors, most likely: wait for some to come back instead of asking in a loop.
static constexpr auto accept_retry = std::chrono::milliseconds(100);
// Bursts of clients after a restart.
static constexpr int listen_backlog = 1024;

// Deadlines are noticed late by at most this.
static deadlines::duration sweep_period(const deadlines& waits) {
    const auto shortest = std::min({waits.idle, waits.head, waits.body_progress, waits.write_progress, waits.linger});
    return std::clamp<deadlines::duration>(shortest / 4, std::chrono::milliseconds(10), std::chrono::seconds(1));
}

server::server(server_config config, handler handle, error_handler on_error)
    : _config(std::move(config)), _handle(std::move(handle)), _on_error(std::move(on_error)),
      _context{_config, _handle, {_counters, _date, _on_error}}, _sweeper([this] { sweep(); }),
      _metrics(export_metrics(_counters, _config.face)) {}

void server::listen(seastar::socket_address address, seastar::shared_ptr<seastar::tls::server_credentials> credentials) {
    const seastar::listen_options options{.reuse_address = true, .listen_backlog = listen_backlog};
    _context.is_secure = static_cast<bool>(credentials);
    _listener = credentials ? seastar::tls::listen(std::move(credentials), address, options) : seastar::listen(address, options);
    _sweeper.arm_periodic(sweep_period(_config.waits));
    _accepting = accept();
}

seastar::future<> server::accept() {
    while (!_gate.is_closed()) {
        auto accepted = co_await seastar::coroutine::as_future(_listener.accept());
        if (!accepted.failed()) {
            admit(accepted.get());
            continue;
        }
        auto failure = accepted.get_exception();
        if (!_gate.is_closed()) {
            log.log(seastar::log_level::warn, accept_log_rate, "{}: accept: {}", _config.face, failure);
            co_await seastar::sleep(accept_retry);
        }
    }
}

void server::admit(seastar::accept_result accepted) {
    auto holder = _gate.try_hold();
    if (!holder) {
        return;
    }
    ++_counters.connections_accepted;
    if (_counters.connections_open < _config.connections_max) {
        seastar::engine().run_in_background(serve(std::move(accepted), std::move(*holder)));
        return;
    }
    ++_counters.connections_refused;
    if (_refusals_count < refusals_max) {
        seastar::engine().run_in_background(turn_away(std::move(accepted), std::move(*holder)));
    }
}

seastar::future<> server::serve(seastar::accept_result accepted, seastar::gate::holder) {
    ++_counters.connections_open;
    {
        accepted.connection.set_nodelay(true);
        connection client(std::move(accepted.connection), accepted.remote_address, _context);
        _connections.push_back(client);
        co_await client.run();
    }
    --_counters.connections_open;
}

seastar::future<> server::turn_away(seastar::accept_result accepted, seastar::gate::holder) {
    ++_refusals_count;
    {
        connection client(std::move(accepted.connection), accepted.remote_address, _context);
        _connections.push_back(client);
        co_await client.turn_away();
    }
    --_refusals_count;
}

void server::sweep() {
    const auto now = wire::clock::now();
    for (auto& client : _connections) {
        client.expire(now);
    }
}

seastar::future<> server::stop() {
    auto drained = _gate.close();
    if (_listener) {
        _listener.abort_accept();
    }
    _context.reply.is_stopping = true;
    for (auto& client : _connections) {
        client.end_if_idle();
    }
    seastar::timer<seastar::lowres_clock> patience([this] {
        for (auto& client : _connections) {
            client.cut();
        }
    });
    patience.arm(_config.waits.stop);
    co_await std::exchange(_accepting, seastar::make_ready_future<>());
    co_await std::move(drained);
    patience.cancel();
    _sweeper.cancel();
    _listener = {};
}

} // namespace http
