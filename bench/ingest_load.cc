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
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/http_client.hh"
#include "bench/latencies.hh"
#include "bench/socket.hh"

namespace {

using clock_type = bench::latencies::clock;

std::atomic<bool> has_failed = false;

// The end of the input is shown, and the server's awaited: by then everything is where it should be.
void stream(uint16_t port, std::string_view lines) {
    const int fd = bench::connect_to(port);
    if (!bench::send_all(fd, lines)) {
        has_failed = true;
    }
    ::shutdown(fd, SHUT_WR);
    char buffer[256];
    while (::recv(fd, buffer, sizeof buffer, 0) > 0) {
    }
    ::close(fd);
}

void post(uint16_t port, std::string_view lines, size_t batch_lines, bench::latencies& took) {
    bench::http_client client(port);
    while (!lines.empty() && !has_failed) {
        size_t size = 0;
        for (size_t i = 0; i < batch_lines && size < lines.size(); ++i) {
            size = lines.find('\n', size) + 1;
        }
        const auto start = clock_type::now();
        const auto reply =
            client.exchange(fmt::format("POST /write?db=bench HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {}\r\n\r\n", size),
                            lines.substr(0, size));
        took.add(clock_type::now() - start);
        if (reply.status != 204) {
            fmt::print(stderr, "status {}: {:.300}\n", reply.status, reply.body);
            has_failed = true;
        }
        lines.remove_prefix(size);
    }
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
    std::vector<bench::latencies> latencies_of(parts.size());
    const auto start = clock_type::now();
    {
        std::vector<std::jthread> senders;
        for (size_t i = 0; i < parts.size(); ++i) {
            senders.emplace_back([&, i] {
                is_http ? post(port, parts[i], static_cast<size_t>(std::atoi(argv[5])), latencies_of[i]) : stream(port, parts[i]);
            });
        }
    }
    const double seconds = std::chrono::duration<double>(clock_type::now() - start).count();
    bench::latencies all;
    for (const auto& l : latencies_of) {
        all.add(l);
    }
    std::puts(
        fmt::format(
            R"({{"lines":{},"seconds":{:.3f},"lines_per_second":{:.0f},"batch_ms_p50":{:.2f},"batch_ms_p99":{:.2f},"failed":{}}})",
            lines_count, seconds, static_cast<double>(lines_count) / seconds, all.at(0.5), all.at(0.99), has_failed.load())
            .c_str());
    return has_failed ? 1 : 0;
}
