#include "tests/torture/http_connection.hh"

#include <cstdlib>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace torture {
namespace {

// Longer than any pause that is put upon a server, so that only a server that died leaves a request without an outcome.
constexpr time_t reply_timeout_s = 60;
constexpr size_t read_bytes = 64 << 10;

} // namespace

std::string http_reply::field(std::string_view name) const {
    const auto at = head.find(fmt::format("\r\n{}: ", name));
    if (at == head.npos) {
        return {};
    }
    const auto begin = at + name.size() + 4;
    return head.substr(begin, head.find('\r', begin) - begin);
}

bool http_connection::connect() {
    _fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ::sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(_port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const ::timeval limit{reply_timeout_s, 0};
    ::setsockopt(_fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(_fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    const int on = 1;
    ::setsockopt(_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(_fd, reinterpret_cast<::sockaddr*>(&address), sizeof address) == 0) {
        return true;
    }
    close();
    return false;
}

void http_connection::close() {
    if (_fd >= 0) {
        ::close(_fd);
        _fd = -1;
    }
    _received.clear();
}

std::optional<http_reply> http_connection::send(const http_request& request) {
    if (_fd < 0 && !connect()) {
        return std::nullopt;
    }
    auto text = fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\n", request.method, request.target,
                            _port, request.body.size());
    for (const auto& [name, value] : request.fields) {
        text += fmt::format("{}: {}\r\n", name, value);
    }
    auto reply = write_all(text + "\r\n" + request.body) ? read_reply() : std::nullopt;
    if (!reply || reply->field("Connection") == "close") {
        close();
    }
    return reply;
}

bool http_connection::write_all(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto count = ::send(_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
}

bool http_connection::read_some() {
    const auto before = _received.size();
    _received.resize(before + read_bytes);
    const auto count = ::recv(_fd, _received.data() + before, read_bytes, 0);
    _received.resize(before + (count > 0 ? static_cast<size_t>(count) : 0));
    return count > 0;
}

std::optional<http_reply> http_connection::read_reply() {
    size_t end = 0;
    while ((end = _received.find("\r\n\r\n")) == std::string::npos) {
        if (!read_some()) {
            return std::nullopt;
        }
    }
    http_reply reply{
        .status = std::atoi(_received.c_str() + _received.find(' ')), .body = {}, .head = _received.substr(0, end + 2)};
    _received.erase(0, end + 4);
    std::optional<std::string> body;
    if (reply.field("Transfer-Encoding") == "chunked") {
        body = take_chunks();
    } else {
        body = take(std::strtoull(reply.field("Content-Length").c_str(), nullptr, 10));
    }
    if (!body) {
        return std::nullopt;
    }
    reply.body = std::move(*body);
    return reply;
}

std::optional<std::string> http_connection::take(size_t count) {
    while (_received.size() < count) {
        if (!read_some()) {
            return std::nullopt;
        }
    }
    auto taken = _received.substr(0, count);
    _received.erase(0, count);
    return taken;
}

std::optional<std::string> http_connection::take_line() {
    size_t end = 0;
    while ((end = _received.find("\r\n")) == std::string::npos) {
        if (!read_some()) {
            return std::nullopt;
        }
    }
    auto line = _received.substr(0, end);
    _received.erase(0, end + 2);
    return line;
}

std::optional<std::string> http_connection::take_chunks() {
    std::string all;
    while (true) {
        const auto size_line = take_line();
        if (!size_line) {
            return std::nullopt;
        }
        const auto size = std::strtoull(size_line->c_str(), nullptr, 16);
        auto piece = take(size + 2);
        if (!piece) {
            return std::nullopt;
        }
        if (size == 0) {
            return all;
        }
        all.append(*piece, 0, size);
    }
}

} // namespace torture
