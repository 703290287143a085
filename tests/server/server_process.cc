#include "tests/server/server_process.hh"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <thread>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace testing_lib {
namespace {

using clock = std::chrono::steady_clock;
constexpr auto poll_interval = std::chrono::milliseconds(5);

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (auto& text : texts) {
        result.push_back(text.data());
    }
    result.push_back(nullptr);
    return result;
}

// In the child.
void put_instead(int stream, const std::string& file, int mode) {
    if (!file.empty()) {
        ::dup2(::open(file.c_str(), mode | O_CLOEXEC), stream);
    }
}

std::vector<std::string> serve_args(const std::string& data, uint16_t port, uint16_t table_port, std::vector<std::string> extra) {
    std::vector<std::string> args{
        "serve", "--data", data, "--http-port", std::to_string(port), "--table-port", std::to_string(table_port)};
    if (extra.empty()) {
        extra = {"--smp", "2", "--memory", "256M"};
    }
    // Each test has the ports it needs; two servers must not meet on the usual ones.
    for (const char* other : {"--line-port", "--json-port", "--graphite-port", "--syslog-port", "--blob-port"}) {
        if (std::ranges::find(extra, other) == extra.end()) {
            extra.insert(extra.end(), {other, "0"});
        }
    }
    // Lists of families and tables are compared with what the test has made.
    if (std::ranges::find(extra, "--own-metrics-seconds") == extra.end()) {
        extra.insert(extra.end(), {"--own-metrics-seconds", "0"});
    }
    args.insert(args.end(), extra.begin(), extra.end());
    return args;
}

bool reserve(uint16_t port) {
    ::sockaddr_un name{};
    name.sun_family = AF_UNIX;
    fmt::format_to(name.sun_path + 1, "downtick-test-port-{}", port); // an abstract one: no file
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::bind(fd, reinterpret_cast<::sockaddr*>(&name), sizeof name) == 0) {
        return true; // and stays open
    }
    ::close(fd);
    return false;
}

} // namespace

// Below the ports that the kernel gives to clients: one of those may be taken by a connection of our own before the server has
// it. Nor may another test take it while our server is down between two starts: a name in the kernel, held until we end, says
// that it is ours.
uint16_t free_port() {
    constexpr unsigned first = 12'000, count = 18'000;
    static std::atomic<unsigned> next = static_cast<unsigned>(::getpid()) * 31;
    for (unsigned tries = 0; tries < count; ++tries) {
        ::sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<uint16_t>(first + next++ % count));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
        const bool is_free = ::bind(fd, reinterpret_cast<::sockaddr*>(&address), sizeof address) == 0;
        ::close(fd);
        if (is_free && reserve(ntohs(address.sin_port))) {
            return ntohs(address.sin_port);
        }
    }
    throw std::runtime_error("no port is free");
}

server_process::server_process(std::vector<std::string> args, std::vector<std::string> environment, const redirection& files) {
    args.insert(args.begin(), DOWNTICK_BINARY);
    environment.emplace_back("PATH=/usr/bin:/bin");
    auto argv = pointers(args);
    auto envp = pointers(environment);
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        throw std::runtime_error("pipe");
    }
    _pid = ::fork();
    if (_pid == 0) {
        ::dup2(ends[1], STDOUT_FILENO);
        ::dup2(ends[1], STDERR_FILENO);
        put_instead(STDIN_FILENO, files.input, O_RDONLY);
        put_instead(STDOUT_FILENO, files.output, O_WRONLY);
        ::execve(argv[0], argv.data(), envp.data());
        ::_exit(127);
    }
    ::close(ends[1]);
    _pipe = ends[0];
    ::fcntl(_pipe, F_SETFL, O_NONBLOCK);
}

server_process::~server_process() {
    if (is_running()) {
        signal(SIGKILL);
        ::waitpid(_pid, nullptr, 0);
    }
    ::close(_pipe);
}

void server_process::signal(int number) {
    ::kill(_pid, number);
}

bool server_process::is_running() {
    int status = 0;
    if (!_status && ::waitpid(_pid, &status, WNOHANG) == _pid) {
        _status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return !_status;
}

std::string server_process::output() {
    char buffer[4096];
    for (ssize_t count = 0; (count = ::read(_pipe, buffer, sizeof buffer)) > 0;) {
        _output.append(buffer, static_cast<size_t>(count));
    }
    return _output;
}

std::string server_process::wait_for_output(const std::string& text) {
    while (output().find(text) == std::string::npos && is_running()) {
        std::this_thread::sleep_for(poll_interval);
    }
    return output();
}

finished server_process::wait(std::chrono::milliseconds limit) {
    const auto start = clock::now();
    while (is_running() && clock::now() - start < limit) {
        output(); // so that a full pipe does not stop it
        std::this_thread::sleep_for(poll_interval);
    }
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - start);
    if (is_running()) {
        signal(SIGKILL);
        while (is_running()) {
            std::this_thread::sleep_for(poll_interval);
        }
    }
    return {*_status, took, output()};
}

running_server::running_server(const std::string& data, std::vector<std::string> extra, std::vector<std::string> environment)
    : port(free_port()), table_port(free_port()),
      process(serve_args(data, port, table_port, std::move(extra)), std::move(environment)) {
    const auto deadline = clock::now() + std::chrono::seconds(30);
    for (;;) {
        if (auto answer = get("/readyz"); answer && answer->status == 200) {
            return;
        }
        if (!process.is_running() || clock::now() > deadline) {
            throw std::runtime_error("the server did not become ready: " + process.output());
        }
        std::this_thread::sleep_for(poll_interval);
    }
}

cli::response running_server::send(const std::string& method, const std::string& path, const std::string& body) const {
    return cli::send({"127.0.0.1", port}, {.method = method, .path = path, .body = body}).value_or(cli::response());
}

int running_server::end() {
    process.signal(SIGTERM);
    return process.wait().status;
}

} // namespace testing_lib
