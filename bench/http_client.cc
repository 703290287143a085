#include "bench/http_client.hh"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

namespace bench {
namespace {

// The value of a field of the head; nothing when it is not there.
std::string_view field_of(std::string_view head, std::string_view name) {
    for (size_t at = head.find("\r\n"); at != std::string_view::npos && at + 2 < head.size(); at = head.find("\r\n", at + 2)) {
        const auto line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
        if (line.size() > name.size() && line[name.size()] == ':' && ::strncasecmp(line.data(), name.data(), name.size()) == 0) {
            const auto value = line.substr(name.size() + 1);
            return value.substr(std::min(value.find_first_not_of(' '), value.size()));
        }
    }
    return {};
}

size_t number(std::string_view text, int base) {
    size_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, base);
    return value;
}

} // namespace

http_client::http_client(uint16_t port) : _port(port) {
    connect();
}

http_client::~http_client() {
    ::close(_fd);
}

void http_client::connect() {
    if (_fd >= 0) {
        ::close(_fd);
    }
    _fd = ::socket(AF_INET, SOCK_STREAM, 0);
    ::sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(_port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int one = 1;
    ::setsockopt(_fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (::connect(_fd, reinterpret_cast<::sockaddr*>(&address), sizeof address) != 0) {
        std::perror("connect");
        std::exit(1);
    }
}

http_reply http_client::exchange(std::string_view head, std::string_view body) {
    _in.clear();
    if (send(head, body)) {
        const auto reply = read_reply();
        if (reply.status != 0) {
            return reply;
        }
    }
    connect();
    return {};
}

bool http_client::send(std::string_view head, std::string_view body) {
    while (!head.empty() || !body.empty()) {
        std::array<::iovec, 2> parts{{{const_cast<char*>(head.data()), head.size()}, {const_cast<char*>(body.data()), body.size()}}};
        ::msghdr message{};
        message.msg_iov = parts.data();
        message.msg_iovlen = parts.size();
        const auto sent = ::sendmsg(_fd, &message, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        const auto of_head = std::min(static_cast<size_t>(sent), head.size());
        head.remove_prefix(of_head);
        body.remove_prefix(static_cast<size_t>(sent) - of_head);
    }
    return true;
}

bool http_client::receive() {
    constexpr size_t piece_bytes = 256u << 10;
    const size_t before = _in.size();
    ssize_t count = 0;
    _in.resize_and_overwrite(before + piece_bytes, [&](char* bytes, size_t) {
        count = ::recv(_fd, bytes + before, piece_bytes, 0);
        return before + static_cast<size_t>(std::max<ssize_t>(count, 0));
    });
    return count > 0;
}

http_reply http_client::read_reply() {
    size_t end = 0;
    while ((end = _in.find("\r\n\r\n")) == std::string::npos) {
        if (!receive()) {
            return {};
        }
    }
    const auto head = std::string_view(_in).substr(0, end);
    const size_t begin = end + 4;
    const int status = static_cast<int>(number(head.substr(head.find(' ') + 1, 3), 10));
    if (field_of(head, "Transfer-Encoding") == "chunked") {
        return read_chunks(begin) ? http_reply{status, _body} : http_reply{};
    }
    const auto size = number(field_of(head, "Content-Length"), 10);
    return read_sized(begin, size) ? http_reply{status, std::string_view(_in).substr(begin, size)} : http_reply{};
}

bool http_client::read_sized(size_t begin, size_t size) {
    while (_in.size() < begin + size) {
        if (!receive()) {
            return false;
        }
    }
    return true;
}

bool http_client::read_chunks(size_t begin) {
    _body.clear();
    while (true) {
        size_t end = 0;
        while ((end = _in.find("\r\n", begin)) == std::string::npos) {
            if (!receive()) {
                return false;
            }
        }
        const size_t size = number(std::string_view(_in).substr(begin, end - begin), 16);
        if (!read_sized(end + 2, size + 2)) {
            return false;
        }
        _body.append(_in, end + 2, size);
        begin = end + 2 + size + 2;
        if (size == 0) {
            return true;
        }
    }
}

} // namespace bench
