// The client's side of TLS over a socket that does not block.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include <sys/types.h>

#include "base/error.hh"
#include "cli/server_address.hh"

namespace cli {

class tls_session {
public:
    // Waits until the socket can be read (or, with true, written); false when that takes too long.
    using waiter = std::function<bool(bool for_writing)>;

    // Shakes hands and verifies who is there. The socket is the caller's and must outlive the session.
    static base::expected<tls_session> open(int fd, const server_address&, const waiter&);

    // As of ::send and ::recv: the count; 0 at the end; -1 with errno, EAGAIN when the socket has nothing yet.
    ssize_t send(std::string_view bytes);
    ssize_t receive(std::span<char> buffer);

private:
    struct state;
    struct state_end {
        void operator()(state*) const;
    };

    explicit tls_session(std::unique_ptr<state, state_end> s) : _state(std::move(s)) {}

    std::unique_ptr<state, state_end> _state;
};

} // namespace cli
