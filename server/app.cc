#include "server/app.hh"

#include <system_error>

#include <seastar/core/coroutine.hh>
#include <seastar/core/sharded.hh>
#include <seastar/net/inet_address.hh>
#include <seastar/net/tls.hh>

#include "http/server.hh"
#include "server/native_http.hh"

namespace server {
namespace {

using base::errc;
using base::fail;

base::expected<void> cannot_listen(const settings& s, uint16_t port, std::string_view option, const std::system_error& e) {
    if (e.code().value() == EADDRINUSE) {
        return fail(errc::io_error, fmt::format("{}:{} is taken by another program; stop it, or choose another port with --{}", s.bind,
                                                port, option));
    }
    return fail(errc::io_error, fmt::format("cannot listen on {}:{} ({}); check --bind and --{}", s.bind, port, e.code().message(), option));
}

} // namespace

struct app::services {
    process_facts facts;
    readiness ready;
    seastar::sharded<http::server> native;
};

app::app(settings s) : _settings(std::move(s)), _services(std::make_unique<services>()) {
    _services->facts = {_settings.data, std::chrono::steady_clock::now()};
}

app::~app() = default;

seastar::future<base::expected<seastar::tls::credentials_builder>> app::load_credentials() {
    seastar::tls::credentials_builder builder;
    try {
        co_await builder.set_x509_key_file(_settings.tls_cert, _settings.tls_key, seastar::tls::x509_crt_format::PEM);
    } catch (...) {
        co_return fail(errc::invalid_argument, fmt::format("tls-cert {} and tls-key {} cannot be used: {}", _settings.tls_cert,
                                                           _settings.tls_key, std::current_exception()));
    }
    co_return builder;
}

seastar::future<base::expected<void>> app::start_native() {
    if (_settings.http_port == 0) {
        co_return base::expected<void>();
    }
    seastar::tls::credentials_builder builder;
    if (!_settings.tls_cert.empty()) {
        auto loaded = co_await load_credentials();
        if (!loaded) {
            co_return std::unexpected(loaded.error());
        }
        builder = std::move(*loaded);
    }
    auto& native = _services->native;
    co_await native.start(http::server_config{.face = "native"}, native_handler(_services->facts, _services->ready),
                          http::error_handler(reply_in_json));
    _stops.emplace_back([&native] { return native.stop(); });
    try {
        const seastar::socket_address address(seastar::net::inet_address(_settings.bind), _settings.http_port);
        co_await native.invoke_on_all([address, &builder, is_secure = !_settings.tls_cert.empty()](http::server& s) {
            s.listen(address, is_secure ? builder.build_server_credentials() : nullptr);
        });
    } catch (const std::system_error& e) {
        co_return cannot_listen(_settings, _settings.http_port, "http-port", e);
    } catch (const std::invalid_argument&) {
        co_return fail(errc::invalid_argument, fmt::format("bind = {} is not an address", _settings.bind));
    }
    co_return base::expected<void>();
}

seastar::future<base::expected<void>> app::start() {
    if (auto started = co_await start_native(); !started) {
        co_return started;
    }
    _services->ready.set({});
    co_return base::expected<void>();
}

seastar::future<> app::stop() {
    _services->ready.set("the server is stopping");
    while (!_stops.empty()) {
        auto stop = std::move(_stops.back());
        _stops.pop_back();
        co_await stop();
    }
}

} // namespace server
