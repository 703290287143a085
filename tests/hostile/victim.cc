#include "tests/hostile/victim.hh"

#include <cstdlib>
#include <fstream>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace hostile {
namespace {

using testing_lib::free_port;

constexpr time_t patience_s = 5;
constexpr auto others_patience = std::chrono::seconds(1);

std::vector<std::string> arguments(uint16_t line, uint16_t syslog, uint16_t json, uint16_t blob) {
    return {"--smp",         "2",
            "--memory",      "256M",
            "--line-port",   std::to_string(line),
            "--syslog-port", std::to_string(syslog),
            "--json-port",   std::to_string(json),
            "--blob-port",   std::to_string(blob)};
}

double resident_mib(pid_t pid) {
    std::ifstream status(fmt::format("/proc/{}/status", pid));
    for (std::string word; status >> word;) {
        if (word == "VmRSS:") {
            double kib = 0;
            status >> kib;
            return kib / 1024;
        }
    }
    return 0;
}

// User and system time are the 14th and 15th field; the second is a name in parentheses.
double processor_s(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string text;
    std::getline(file, text);
    double user = 0, system = 0;
    std::istringstream rest(text.substr(text.rfind(')') + 1));
    std::string skipped;
    for (int field = 3; field < 14; ++field) {
        rest >> skipped;
    }
    rest >> user >> system;
    return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

} // namespace

victim::victim()
    : _line_port(free_port()), _syslog_port(free_port()), _json_port(free_port()), _blob_port(free_port()),
      _server(_place.path() + "/data", arguments(_line_port, _syslog_port, _json_port, _blob_port)) {
    serves_others(); // the first write prepares the logs, which is nobody's attack
}

cost victim::now() {
    _server.process.output();
    return {resident_mib(_server.process.pid()), processor_s(_server.process.pid())};
}

bool victim::serves_others() {
    const auto begin = std::chrono::steady_clock::now();
    const auto written =
        cli::send({"127.0.0.1", _server.port}, {.method = "POST", .path = "/write", .body = "innocent v=1 1700000000000000000"});
    const auto read = cli::get({"127.0.0.1", _server.port}, "/v1/tail?from=family:innocent&n=1", "");
    return written && written->status == 204 && read && read->status == 200 && read->body.contains("innocent") &&
           std::chrono::steady_clock::now() - begin < 2 * others_patience;
}

within::within(victim& v, cost ceiling) : _victim(v), _ceiling(ceiling), _before(v.now()) {}

within::~within() {
    EXPECT_TRUE(_victim.serves_others());
    const auto after = _victim.now();
    EXPECT_LT(after.memory_mib - _before.memory_mib, _ceiling.memory_mib) << "MiB more than before";
    EXPECT_LT(after.cpu_s - _before.cpu_s, _ceiling.cpu_s) << "seconds of processor time";
    fmt::print("cost: {:.1f} MiB, {:.2f} s of processor time\n", after.memory_mib - _before.memory_mib,
               after.cpu_s - _before.cpu_s);
}

attacker::attacker(uint16_t port) : _fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    ::sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const ::timeval limit{patience_s, 0};
    ::setsockopt(_fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(_fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    EXPECT_EQ(::connect(_fd, reinterpret_cast<::sockaddr*>(&address), sizeof address), 0);
}

attacker::~attacker() {
    ::close(_fd);
}

bool attacker::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto count = ::send(_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<size_t>(count));
    }
    return true;
}

int attacker::status() {
    std::string reply;
    char buffer[4096];
    while (!reply.contains("\r\n")) {
        const auto count = ::recv(_fd, buffer, sizeof buffer, 0);
        if (count <= 0) {
            return 0;
        }
        reply.append(buffer, static_cast<size_t>(count));
    }
    return std::atoi(reply.c_str() + reply.find(' '));
}

std::string get(std::string_view target) {
    return fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", target);
}

} // namespace hostile
