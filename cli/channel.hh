// A connection to a server, plain or TLS, that blocks no longer than it is told.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <sys/types.h>

#include "base/error.hh"
#include "cli/server_address.hh"
#include "cli/tls_session.hh"

namespace cli {

constexpr int connect_timeout_s = 5;
constexpr int reply_timeout_s = 60;

class channel {
public:
    // Errors are sentences that say what to do.
    static base::expected<channel> open(const server_address&);

    // False when the other side does not take it.
    bool send_all(std::string_view bytes);
    // The count; 0 at the end; -1 with errno, EAGAIN when there is nothing yet.
    ssize_t receive(std::span<char> buffer);
    // Until something may be received.
    bool wait_for_input(int seconds) const;

private:
    class socket_handle {
    public:
        explicit socket_handle(int fd) : _fd(fd) {}
        ~socket_handle();
        socket_handle(socket_handle&& other) noexcept : _fd(std::exchange(other._fd, -1)) {}
        socket_handle& operator=(socket_handle&&) = delete;
        int fd() const { return _fd; }

    private:
        int _fd;
    };

    explicit channel(socket_handle socket) : _socket(std::move(socket)) {}
    static base::expected<socket_handle> connect_to(const server_address&);

    socket_handle _socket;
    std::optional<tls_session> _tls; // ends before the socket
};

} // namespace cli
