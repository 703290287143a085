// Listening where the settings say, with TLS when they name a certificate.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include <seastar/core/future.hh>
#include <seastar/core/sharded.hh>
#include <seastar/net/socket_defs.hh>
#include <seastar/net/tls.hh>
#include <seastar/util/noncopyable_function.hh>

#include "base/error.hh"
#include "server/core/settings.hh"

namespace server {

// Has the listeners of all shards listen there; without credentials, plainly. What it is given lives until it is done.
using listen_on_all =
    seastar::noncopyable_function<seastar::future<>(seastar::socket_address, const seastar::tls::credentials_builder*)>;

// Whether all ports of the settings but the first, that of HTTP, can be had: before a long log is replayed, not after.
base::expected<void> check_ports(const settings&);

seastar::future<base::expected<void>> start_listening(const settings&, uint16_t port, std::string_view option, listen_on_all);

// Listener has listen(address, credentials). All arguments must outlive the future. An error is a sentence that tells what to do;
// `option` is the name of the one that sets the port.
template <class Listener>
seastar::future<base::expected<void>> start_listening(seastar::sharded<Listener>& listeners, const settings& s, uint16_t port,
                                                      std::string_view option) {
    auto listen = [&listeners](seastar::socket_address address, const seastar::tls::credentials_builder* credentials) {
        return listeners.invoke_on_all([address, credentials](Listener& here) {
            here.listen(address, credentials != nullptr ? credentials->build_server_credentials() : nullptr);
        });
    };
    return start_listening(s, port, option, listen_on_all(std::move(listen)));
}

} // namespace server
