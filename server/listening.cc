#include "server/listening.hh"

#include <cerrno>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include <fmt/format.h>
#include <seastar/core/coroutine.hh>
#include <seastar/core/seastar.hh>
#include <seastar/net/inet_address.hh>
#include <seastar/util/log.hh>

namespace server {
namespace {

using base::errc;
using base::fail;
using seastar::tls::credentials_builder;

seastar::future<base::expected<credentials_builder>> load_credentials(std::string cert, std::string key) {
    credentials_builder builder;
    try {
        co_await builder.set_x509_key_file(cert, key, seastar::tls::x509_crt_format::PEM);
    } catch (const std::exception& e) {
        co_return fail(errc::invalid_argument, fmt::format("tls-cert {} and tls-key {} cannot be used: {}", cert, key, e.what()));
    }
    co_return builder;
}

base::expected<void> not_an_address(const settings& s) {
    return fail(errc::invalid_argument, fmt::format("bind = {} is not an address", s.bind));
}

base::expected<void> cannot_listen(const settings& s, uint16_t port, std::string_view option, const std::system_error& e) {
    if (e.code().value() == EADDRINUSE) {
        return fail(errc::io_error,
                    fmt::format("port {} of {} is taken by another program; stop it, or choose another port with --{}", port,
                                s.bind, option));
    }
    return fail(errc::io_error, fmt::format("cannot listen on port {} of {} ({}); check --bind and --{}", port, s.bind,
                                            e.code().message(), option));
}

} // namespace

base::expected<void> check_ports(const settings& s) {
    const std::pair<uint16_t, std::string_view> ports[] = {{s.table_port, "table-port"},       {s.blob_port, "blob-port"},
                                                           {s.line_port, "line-port"},         {s.json_port, "json-port"},
                                                           {s.graphite_port, "graphite-port"}, {s.syslog_port, "syslog-port"}};
    for (const auto& [port, option] : ports) {
        if (port == 0) {
            continue;
        }
        try {
            const auto probe = seastar::listen({seastar::net::inet_address(s.bind), port}, {.reuse_address = true});
        } catch (const std::system_error& e) {
            return cannot_listen(s, port, option, e);
        } catch (const std::invalid_argument&) {
            return not_an_address(s);
        }
    }
    return {};
}

seastar::future<base::expected<void>> start_listening(const settings& s, uint16_t port, std::string_view option,
                                                      listen_on_all listen) {
    std::optional<credentials_builder> credentials;
    if (!s.tls_cert.empty()) {
        auto loaded = co_await load_credentials(s.tls_cert, s.tls_key);
        if (!loaded) {
            co_return std::unexpected(loaded.error());
        }
        credentials.emplace(std::move(*loaded));
    }
    try {
        const seastar::socket_address address(seastar::net::inet_address(s.bind), port);
        co_await listen(address, credentials ? &*credentials : nullptr);
    } catch (const std::system_error& e) {
        co_return cannot_listen(s, port, option, e);
    } catch (const std::invalid_argument&) {
        co_return not_an_address(s);
    }
    co_return base::expected<void>();
}

} // namespace server
