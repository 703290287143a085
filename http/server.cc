#include "http/server.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>
#include <seastar/core/seastar.hh>
#include <seastar/core/sleep.hh>
#include <seastar/coroutine/as_future.hh>
#include <seastar/util/defer.hh>

#include "http/logger.hh"
#include "shard/background.hh"

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
    _credentials = std::move(credentials);
    _listener = seastar::listen(address, options);
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
            logger.log(seastar::log_level::warn, accept_log_rate, "{}: accept: {}", _config.face, failure);
            co_await seastar::sleep(accept_retry);
        }
    }
}

void server::admit(seastar::accept_result accepted) {
    ++_counters.connections_accepted;
    if (_counters.connections_open < _config.connections_max) {
        shard::run_in_background(_gate, "http connection",
                                 [this, accepted = std::move(accepted)]() mutable { return serve(std::move(accepted)); });
        return;
    }
    ++_counters.connections_refused;
    if (_refusals_count < refusals_max) {
        shard::run_in_background(_gate, "http refusal",
                                 [this, accepted = std::move(accepted)]() mutable { return turn_away(std::move(accepted)); });
    }
}

seastar::future<> server::serve(seastar::accept_result accepted) {
    ++_counters.connections_open;
    const auto gone = seastar::defer([this]() noexcept { --_counters.connections_open; });
    connection client(co_await open(std::move(accepted.connection)), accepted.remote_address, _context);
    _connections.push_back(client);
    co_await client.run();
}

seastar::future<> server::turn_away(seastar::accept_result accepted) {
    ++_refusals_count;
    const auto gone = seastar::defer([this]() noexcept { --_refusals_count; });
    connection client(co_await open(std::move(accepted.connection)), accepted.remote_address, _context);
    _connections.push_back(client);
    co_await client.turn_away();
}

seastar::future<client_socket> server::open(seastar::connected_socket socket) {
    socket.set_nodelay(true);
    if (_credentials) {
        return wrap_in_tls(std::move(socket), _credentials);
    }
    return seastar::make_ready_future<client_socket>(std::move(socket));
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
