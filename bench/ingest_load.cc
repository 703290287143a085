// Sends a file of lines to a server and says how that went, as one line of JSON.
//
//   ingest_load tcp  PORT FILE CONNECTIONS           one stream each, until the server has closed its side
//   ingest_load http PORT FILE CONNECTIONS LINES     POST /write in batches of so many lines, each awaited
//
// The file is read into memory first and cut into equal parts, so that what is measured is the server and the socket.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using clock_type = std::chrono::steady_clock;

std::atomic<bool> has_failed = false;

int connect_to(uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    ::sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int one = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (::connect(fd, reinterpret_cast<::sockaddr*>(&address), sizeof address) != 0) {
        std::perror("connect");
        std::exit(1);
    }
    return fd;
}

bool send_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto count = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
}

// The end of the input is shown, and the server's awaited: by then everything is where it should be.
void stream(uint16_t port, std::string_view lines) {
    const int fd = connect_to(port);
    if (!send_all(fd, lines)) {
        has_failed = true;
    }
    ::shutdown(fd, SHUT_WR);
    char buffer[256];
    while (::recv(fd, buffer, sizeof buffer, 0) > 0) {
    }
    ::close(fd);
}

// The status of the reply; 0 when there is none.
int read_status(int fd) {
    std::string head;
    char buffer[4096];
    size_t end = std::string::npos;
    while ((end = head.find("\r\n\r\n")) == std::string::npos) {
        const auto count = ::recv(fd, buffer, sizeof buffer, 0);
        if (count <= 0) {
            return 0;
        }
        head.append(buffer, static_cast<size_t>(count));
    }
    const int status = std::atoi(head.c_str() + head.find(' '));
    if (status != 204) {
        std::fprintf(stderr, "%s\n", head.c_str());
    }
    return status;
}

void post(uint16_t port, std::string_view lines, size_t batch_lines, std::vector<double>& seconds) {
    const int fd = connect_to(port);
    while (!lines.empty() && !has_failed) {
        size_t size = 0;
        for (size_t i = 0; i < batch_lines && size < lines.size(); ++i) {
            size = lines.find('\n', size) + 1;
        }
        const auto start = clock_type::now();
        const auto head = fmt::format("POST /write?db=bench HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {}\r\n\r\n", size);
        if (!send_all(fd, head) || !send_all(fd, lines.substr(0, size)) || read_status(fd) != 204) {
            has_failed = true;
        }
        seconds.push_back(std::chrono::duration<double>(clock_type::now() - start).count());
        lines.remove_prefix(size);
    }
    ::close(fd);
}

// Parts that end with a line.
std::vector<std::string_view> cut(std::string_view text, size_t parts_count) {
    std::vector<std::string_view> parts;
    for (size_t left = parts_count; left > 0; --left) {
        const size_t wanted = text.size() / left;
        const size_t end = left == 1 ? text.size() : std::min(text.find('\n', wanted) + 1, text.size());
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return parts;
}

} // namespace

int main(int argc, char** argv) {
    const bool is_http = argc == 6 && std::strcmp(argv[1], "http") == 0;
    if (!is_http && !(argc == 5 && std::strcmp(argv[1], "tcp") == 0)) {
        std::fprintf(stderr, "usage: ingest_load tcp PORT FILE CONNECTIONS | http PORT FILE CONNECTIONS LINES\n");
        return 2;
    }
    const auto port = static_cast<uint16_t>(std::atoi(argv[2]));
    std::ifstream in(argv[3], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto lines_count = std::ranges::count(text, '\n');
    const auto parts = cut(text, static_cast<size_t>(std::atoi(argv[4])));
    std::vector<std::vector<double>> seconds(parts.size());
    const auto start = clock_type::now();
    {
        std::vector<std::jthread> senders;
        for (size_t i = 0; i < parts.size(); ++i) {
            senders.emplace_back([&, i] {
                is_http ? post(port, parts[i], static_cast<size_t>(std::atoi(argv[5])), seconds[i]) : stream(port, parts[i]);
            });
        }
    }
    const double took = std::chrono::duration<double>(clock_type::now() - start).count();
    std::vector<double> all;
    for (const auto& s : seconds) {
        all.insert(all.end(), s.begin(), s.end());
    }
    std::ranges::sort(all);
    const auto at = [&](double part) {
        return all.empty() ? 0 : 1e3 * all[static_cast<size_t>(part * static_cast<double>(all.size() - 1))];
    };
    std::puts(
        fmt::format(
            R"({{"lines":{},"seconds":{:.3f},"lines_per_second":{:.0f},"batch_ms_p50":{:.2f},"batch_ms_p99":{:.2f},"failed":{}}})",
            lines_count, took, static_cast<double>(lines_count) / took, at(0.5), at(0.99), has_failed.load())
            .c_str());
    return has_failed ? 1 : 0;
}
