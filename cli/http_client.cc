#include "cli/http_client.hh"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <llhttp.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cli {
namespace {

using base::errc;
using base::fail;

class socket_handle {
public:
    explicit socket_handle(int fd) : _fd(fd) {}
    ~socket_handle() {
        if (_fd >= 0) {
            ::close(_fd);
        }
    }
    socket_handle(socket_handle&& other) noexcept : _fd(std::exchange(other._fd, -1)) {}
    socket_handle& operator=(socket_handle&&) = delete;
    int fd() const { return _fd; }

private:
    int _fd;
};

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

base::expected<socket_handle> connect_to(const server_address& server) {
    ::addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    ::addrinfo* found = nullptr;
    if (int status = ::getaddrinfo(server.host.c_str(), std::to_string(server.port).c_str(), &hints, &found); status != 0) {
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
                fmt::format("no server answers at {}:{} ({}); start one with `downtick serve`, or name another with --server",
                            server.host, server.port, std::strerror(problem)));
}

bool send_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN && wait_for(fd, POLLOUT, reply_timeout_s)) {
            continue;
        }
        if (sent <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
}

// Collects a reply; llhttp deals with lengths and chunks.
struct reply_parser {
    llhttp_t parser{};
    llhttp_settings_t callbacks{};
    response result;
    bool is_complete = false;

    reply_parser() {
        llhttp_settings_init(&callbacks);
        callbacks.on_body = [](llhttp_t* p, const char* at, size_t length) {
            auto& self = *static_cast<reply_parser*>(p->data);
            self.result.body.append(at, length);
            return self.result.body.size() > body_bytes_max ? -1 : 0;
        };
        callbacks.on_message_complete = [](llhttp_t* p) {
            static_cast<reply_parser*>(p->data)->is_complete = true;
            return 0;
        };
        llhttp_init(&parser, HTTP_RESPONSE, &callbacks);
        parser.data = this;
    }
};

base::expected<response> receive(int fd) {
    reply_parser reply;
    char buffer[16384];
    while (!reply.is_complete) {
        if (!wait_for(fd, POLLIN, reply_timeout_s)) {
            return fail(errc::timed_out, fmt::format("the server did not answer within {} s", reply_timeout_s));
        }
        const auto count = ::recv(fd, buffer, sizeof buffer, 0);
        const auto status = count > 0 ? llhttp_execute(&reply.parser, buffer, static_cast<size_t>(count)) : llhttp_finish(&reply.parser);
        if (status != HPE_OK || (count <= 0 && !reply.is_complete)) {
            return fail(errc::io_error, "the server broke off its answer; is that port a Downtick server?");
        }
    }
    reply.result.status = llhttp_get_status_code(&reply.parser);
    return std::move(reply.result);
}

} // namespace

base::expected<server_address> parse_server(std::string_view text) {
    server_address server;
    if (text.starts_with("http://")) {
        text.remove_prefix(7);
    }
    text = text.substr(0, text.find('/'));
    if (const auto colon = text.rfind(':'); colon != std::string_view::npos) {
        const auto digits = text.substr(colon + 1);
        const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), server.port);
        if (status != std::errc() || end != digits.data() + digits.size() || server.port == 0) {
            return fail(errc::invalid_argument, fmt::format("'{}' is not a port", digits));
        }
        text = text.substr(0, colon);
    }
    if (text.empty() || text.find_first_of(" @?#") != std::string_view::npos) {
        return fail(errc::invalid_argument, "a server is written http://HOST:PORT");
    }
    server.host = text;
    return server;
}

base::expected<response> get(const server_address& server, std::string_view path, std::string_view token) {
    auto socket = connect_to(server);
    if (!socket) {
        return std::unexpected(socket.error());
    }
    std::string request = fmt::format("GET {} HTTP/1.1\r\nHost: {}:{}\r\nConnection: close\r\n", path, server.host, server.port);
    if (!token.empty()) {
        request += fmt::format("Authorization: Bearer {}\r\n", token);
    }
    if (!send_all(socket->fd(), request + "\r\n")) {
        return fail(errc::io_error, "the server closed the connection");
    }
    return receive(socket->fd());
}

} // namespace cli
