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
    const call& asked;
    llhttp_t parser{};
    llhttp_settings_t callbacks{};
    response result;
    std::string header_name;
    bool is_complete = false;
    bool is_ended = false; // by whoever takes the body

    explicit reply_parser(const call& c) : asked(c) {
        llhttp_settings_init(&callbacks);
        callbacks.on_header_field = [](llhttp_t* p, const char* at, size_t length) { return self(p).add_name({at, length}); };
        callbacks.on_header_value = [](llhttp_t* p, const char* at, size_t length) { return self(p).add_value({at, length}); };
        callbacks.on_header_value_complete = [](llhttp_t* p) {
            self(p).header_name.clear();
            return 0;
        };
        callbacks.on_body = [](llhttp_t* p, const char* at, size_t length) { return self(p).add_body({at, length}); };
        callbacks.on_message_complete = [](llhttp_t* p) {
            self(p).is_complete = true;
            return 0;
        };
        llhttp_init(&parser, HTTP_RESPONSE, &callbacks);
        parser.data = this;
    }

    static reply_parser& self(llhttp_t* p) { return *static_cast<reply_parser*>(p->data); }

    int add_name(std::string_view piece) {
        for (char c : piece) {
            header_name += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
        }
        return 0;
    }
    int add_value(std::string_view piece) {
        result.headers[header_name] += piece;
        return 0;
    }
    int add_body(std::string_view piece) {
        const int status = llhttp_get_status_code(&parser);
        if (asked.on_body && status >= 200 && status < 300) {
            is_ended = !asked.on_body(piece);
            return is_ended ? -1 : 0;
        }
        result.body += piece;
        return result.body.size() > body_bytes_max ? -1 : 0;
    }
};

base::expected<void> wait_for_reply(int fd, const call& asked) {
    for (int seconds = 0; !wait_for(fd, POLLIN, 1); ++seconds) {
        if (asked.on_wait) {
            asked.on_wait();
        }
        if (!asked.waits_forever && seconds >= reply_timeout_s) {
            return fail(errc::timed_out, fmt::format("the server did not answer within {} s", reply_timeout_s));
        }
    }
    return {};
}

base::expected<response> receive(int fd, const call& asked) {
    reply_parser reply(asked);
    char buffer[16384];
    while (!reply.is_complete) {
        if (auto waited = wait_for_reply(fd, asked); !waited) {
            return std::unexpected(waited.error());
        }
        const auto count = ::recv(fd, buffer, sizeof buffer, 0);
        const auto status =
            count > 0 ? llhttp_execute(&reply.parser, buffer, static_cast<size_t>(count)) : llhttp_finish(&reply.parser);
        if (reply.is_ended) {
            break;
        }
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

base::expected<response> send(const server_address& server, const call& asked) {
    auto socket = connect_to(server);
    if (!socket) {
        return std::unexpected(socket.error());
    }
    std::string request =
        fmt::format("{} {} HTTP/1.1\r\nHost: {}:{}\r\nConnection: close\r\n", asked.method, asked.path, server.host, server.port);
    if (!asked.accept.empty()) {
        request += fmt::format("Accept: {}\r\n", asked.accept);
    }
    if (!asked.token.empty()) {
        request += fmt::format("Authorization: Bearer {}\r\n", asked.token);
    }
    if (asked.method != "GET") {
        request += fmt::format("Content-Length: {}\r\n", asked.body.size());
    }
    if (!send_all(socket->fd(), request + "\r\n") || !send_all(socket->fd(), asked.body)) {
        return fail(errc::io_error, "the server closed the connection");
    }
    return receive(socket->fd(), asked);
}

base::expected<response> get(const server_address& server, std::string_view path, std::string_view token) {
    return send(server, {.path = std::string(path), .token = std::string(token)});
}

} // namespace cli
