#include "tests/server/line_client.hh"

#include <cstdlib>
#include <stdexcept>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/http_client.hh"
#include "http/core/percent.hh"
#include "http/core/query_string.hh"
#include "service/core/base64.hh"
#include "service/core/sas.hh"

namespace testing_lib {

line_client::line_client(uint16_t port) : _port(port) {
    connect();
}

void line_client::connect() {
    _fd = ::socket(AF_INET, SOCK_STREAM, 0);
    ::sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(_port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(_fd, reinterpret_cast<::sockaddr*>(&address), sizeof address) != 0) {
        ::close(_fd);
        throw std::runtime_error("nobody listens");
    }
}

line_client::~line_client() {
    ::close(_fd);
}

bool line_client::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto count = ::send(_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
}

void line_client::finish() {
    ::shutdown(_fd, SHUT_WR);
    char buffer[256];
    while (::recv(_fd, buffer, sizeof buffer, 0) > 0) {
    }
}

int line_client::post(std::string_view lines, std::string_view fields) {
    // In one piece: two would wait for each other's acknowledgement.
    const auto head =
        fmt::format("POST /write HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n{}\r\n", lines.size(), fields);
    if (!send(head + std::string(lines))) {
        return 0;
    }
    std::string reply;
    char buffer[4096];
    while (!reply.contains("\r\n\r\n")) {
        const auto count = ::recv(_fd, buffer, sizeof buffer, 0);
        if (count <= 0) {
            return 0;
        }
        reply.append(buffer, static_cast<size_t>(count));
    }
    if (reply.contains("Connection: close")) {
        ::close(_fd);
        connect();
    }
    return std::atoi(reply.c_str() + reply.find(' '));
}

std::string line_client::get(std::string_view path, std::string_view fields) {
    send(fmt::format("GET {} HTTP/1.1\r\nConnection: close\r\n{}\r\n", path, fields));
    std::string reply;
    char buffer[4096];
    for (ssize_t count = 0; (count = ::recv(_fd, buffer, sizeof buffer, 0)) > 0;) {
        reply.append(buffer, static_cast<size_t>(count));
    }
    return reply;
}

void line_client::reset() {
    const ::linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(_fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    ::close(_fd);
    _fd = -1;
}

table_reader::table_reader(uint16_t table_port) : _port(table_port) {
    const std::string parameters = "sv=2019-02-02&ss=t&srt=sco&sp=rl&se=2099-01-01T00%3A00%3A00Z";
    const auto parsed = http::query_string::parse(parameters + "&sig=x");
    const auto key =
        service::decode_base64("Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==");
    const auto signature = service::sign(*key, service::string_to_sign(*service::find_sas(*parsed), "devstoreaccount1"));
    _signature = parameters + "&sig=" + http::percent_encode(signature);
}

std::string table_reader::query(const std::string& table, const std::string& filter) const {
    const auto path = fmt::format("/devstoreaccount1/{}()?$filter={}&{}", table, http::percent_encode(filter), _signature);
    const auto reply = cli::get({"127.0.0.1", _port}, path, "");
    if (!reply) {
        return reply.error().detail;
    }
    return reply->status == 200 ? reply->body : fmt::format("{}: {}", reply->status, reply->body);
}

size_t table_reader::count(const std::string& table, const std::string& partition) const {
    const auto reply = query(table, fmt::format("PartitionKey eq '{}'", partition));
    size_t rows = 0;
    for (size_t at = 0; (at = reply.find("\"RowKey\"", at)) != reply.npos; ++at) {
        ++rows;
    }
    return rows;
}

} // namespace testing_lib
