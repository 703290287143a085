#include "ingest/tcp_listener.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>
#include <seastar/core/seastar.hh>
#include <seastar/core/sleep.hh>
#include <seastar/coroutine/as_future.hh>
#include <seastar/util/defer.hh>

#include "ingest/logger.hh"
#include "shard/background.hh"

namespace ingest {
namespace {

constexpr auto accept_retry = std::chrono::milliseconds(100);
constexpr int listen_backlog = 1024;

thread_local seastar::logger::rate_limit accept_log_rate(std::chrono::seconds(5));

} // namespace

tcp_listener::tcp_listener(protocol p, seastar::sharded<intake>& in, std::chrono::milliseconds idle,
                           std::chrono::milliseconds line_max)
    : _intake(in.local()), _context{_intake, p, {.idle = idle}, line_max, {}, {}}, _sweeper([this] { sweep(); }) {}

void tcp_listener::listen(seastar::socket_address address, seastar::shared_ptr<seastar::tls::server_credentials> credentials) {
    const seastar::listen_options options{.reuse_address = true, .listen_backlog = listen_backlog};
    _credentials = std::move(credentials);
    _listener = seastar::listen(address, options);
    _sweeper.arm_periodic(std::clamp<std::chrono::milliseconds>(std::min(_context.waits.idle, _context.line_max) / 4,
                                                                std::chrono::milliseconds(10), std::chrono::seconds(1)));
    _accepting = accept();
}

seastar::future<> tcp_listener::accept() {
    while (!_gate.is_closed()) {
        auto accepted = co_await seastar::coroutine::as_future(_listener.accept());
        if (!accepted.failed()) {
            admit(accepted.get());
            continue;
        }
        auto failure = accepted.get_exception();
        if (!_gate.is_closed()) {
            logger.log(seastar::log_level::warn, accept_log_rate, "{}: accept: {}", name(_context.spoken), failure);
            co_await seastar::sleep(accept_retry);
        }
    }
}

void tcp_listener::admit(seastar::accept_result accepted) {
    auto& counts = _intake.counts(_context.spoken);
    ++counts.connections_accepted;
    if (!_intake.admit_connection()) {
        ++counts.connections_refused;
        logger.log(seastar::log_level::warn, accept_log_rate, "{} from {} is turned away: too many connections",
                   name(_context.spoken), accepted.remote_address);
        return;
    }
    ++counts.connections_open;
    shard::run_in_background(_gate, "ingest connection",
                             [this, accepted = std::move(accepted)]() mutable { return serve(std::move(accepted)); });
}

seastar::future<> tcp_listener::serve(seastar::accept_result accepted) {
    const auto gone = seastar::defer([this]() noexcept {
        --_intake.counts(_context.spoken).connections_open;
        _intake.release_connection();
    });
    http::client_socket socket{std::move(accepted.connection), {}};
    if (_credentials) {
        socket = co_await http::wrap_in_tls(std::move(socket.stream), _credentials);
    }
    tcp_connection sender(std::move(socket), accepted.remote_address, _context);
    _connections.push_back(sender);
    co_await sender.run();
}

void tcp_listener::sweep() {
    const auto now = http::wire::clock::now();
    for (auto& sender : _connections) {
        sender.expire(now);
    }
}

seastar::future<> tcp_listener::stop() {
    auto drained = _gate.close();
    if (_listener) {
        _listener.abort_accept();
    }
    if (!_context.stopping.abort_requested()) {
        _context.stopping.request_abort();
    }
    for (auto& sender : _connections) {
        sender.cut();
    }
    co_await std::exchange(_accepting, seastar::make_ready_future<>());
    co_await std::move(drained);
    _sweeper.cancel();
    _listener = {};
}

} // namespace ingest
