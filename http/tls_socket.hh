// TLS over a TCP socket that can still be cut from below. Seastar's TLS socket knows only the polite end: it says goodbye and
// then waits up to ten seconds for an answer, with pending reads waiting along. A server that must stop, or a deadline that
// has passed, cannot; so the TCP socket is shared with whoever may have to end it.
#pragma once

#include <seastar/core/future.hh>
#include <seastar/core/shared_ptr.hh>
#include <seastar/net/api.hh>
#include <seastar/net/tls.hh>

namespace http {

struct client_socket {
    seastar::connected_socket stream;                      // plain or TLS
    seastar::lw_shared_ptr<seastar::connected_socket> tcp; // below the TLS; null where there is none
};

seastar::future<client_socket> wrap_in_tls(seastar::connected_socket, seastar::shared_ptr<seastar::tls::server_credentials>);

} // namespace http
