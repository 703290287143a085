#include "cli/channel.hh"

#include <cerrno>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cli {
namespace {

using base::errc;
using base::fail;

bool wait_for(int fd, short events, int seconds) {
    struct ::pollfd p{fd, events, 0};
    return ::poll(&p, 1, seconds * 1000) == 1;
}

int connect_with_timeout(const ::addrinfo& to) {
    const int fd = ::socket(to.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || ::connect(fd, to.ai_addr, to.ai_addrlen) == 0) {
        return fd;
    }
    int problem = errno;
    if (problem == EINPROGRESS) {
        socklen_t size = sizeof problem;
        problem = ETIMEDOUT;
        if (wait_for(fd, POLLOUT, connect_timeout_s)) {
            ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &size);
        }
    }
    if (problem == 0) {
        return fd;
    }
    ::close(fd);
    errno = problem;
    return -1;
}

} // namespace

channel::socket_handle::~socket_handle() {
    if (_fd >= 0) {
        ::close(_fd);
    }
}

base::expected<channel::socket_handle> channel::connect_to(const server_address& server) {
    ::addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    ::addrinfo* found = nullptr;
    // This machine's name for itself needs nobody who resolves names.
    const std::string host = server.host == "localhost" ? "127.0.0.1" : server.host;
    if (int status = ::getaddrinfo(host.c_str(), std::to_string(server.port).c_str(), &hints, &found); status != 0) {
        return fail(errc::io_error, fmt::format("cannot find the host {}: {}", server.host, ::gai_strerror(status)));
    }
    const std::unique_ptr<::addrinfo, decltype(&::freeaddrinfo)> addresses(found, ::freeaddrinfo);
    int problem = 0;
    for (const ::addrinfo* a = found; a != nullptr; a = a->ai_next) {
        if (int fd = connect_with_timeout(*a); fd >= 0) {
            return socket_handle(fd);
        }
        problem = errno;
    }
    return fail(errc::io_error,
                fmt::format("no server answers at {} ({}); start one with `downtick serve`, or name another with --server",
                            to_string(server), std::strerror(problem)));
}

base::expected<channel> channel::open(const server_address& server) {
    auto socket = connect_to(server);
    if (!socket) {
        return std::unexpected(socket.error());
    }
    channel opened(std::move(*socket));
    if (server.is_secure) {
        const int fd = opened._socket.fd();
        const auto wait = [fd](bool for_writing) { return wait_for(fd, for_writing ? POLLOUT : POLLIN, connect_timeout_s); };
        auto session = tls_session::open(fd, server, wait);
        if (!session) {
            return std::unexpected(session.error());
        }
        opened._tls.emplace(std::move(*session));
    }
    return opened;
}

bool channel::send_all(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto sent = _tls ? _tls->send(bytes) : ::send(_socket.fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN && wait_for(_socket.fd(), POLLOUT, reply_timeout_s)) {
            continue;
        }
        if (sent <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
}

ssize_t channel::receive(std::span<char> buffer) {
    return _tls ? _tls->receive(buffer) : ::recv(_socket.fd(), buffer.data(), buffer.size(), 0);
}

bool channel::wait_for_input(int seconds) const {
    return wait_for(_socket.fd(), POLLIN, seconds);
}

} // namespace cli
