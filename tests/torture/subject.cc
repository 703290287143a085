#include "tests/torture/subject.hh"

#include <csignal>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/torture/memory_group.hh"

namespace torture {
namespace {

// The kernel takes its time to give back the I/O slots of a process that was killed.
constexpr int start_attempts_max = 100;
constexpr auto start_retry = std::chrono::milliseconds(100);
constexpr auto end_patience = std::chrono::seconds(30);
constexpr double memory_tolerance = 1.10;
constexpr size_t complaints_max = 20;
constexpr size_t complaint_length_max = 300;

uint64_t resident_kib(pid_t pid) {
    std::ifstream status(fmt::format("/proc/{}/status", pid));
    for (std::string word; status >> word;) {
        if (word == "VmRSS:") {
            uint64_t kib = 0;
            status >> kib;
            return kib;
        }
    }
    return 0;
}

// A build with planted bugs looks for the name of one.
std::vector<std::string> environment_for(const wall_clock& clock) {
    auto variables = clock.environment();
    if (const char* const bug = std::getenv("DOWNTICK_BUG")) {
        variables.push_back(std::string("DOWNTICK_BUG=") + bug);
    }
    return variables;
}

} // namespace

subject::subject(std::string data, wall_clock& clock, verdict& v) : _data(std::move(data)), _clock(clock), _verdict(v) {}

subject::~subject() = default;

bool subject::start(const start_options& options) {
    const auto line_port = testing_lib::free_port();
    const auto syslog_port = testing_lib::free_port();
    std::vector<std::string> arguments{
        "--smp",       std::to_string(options.shards), "--memory",      fmt::format("{}M", options.memory_mib),
        "--line-port", std::to_string(line_port),      "--syslog-port", std::to_string(syslog_port)};
    arguments.insert(arguments.end(), options.more.begin(), options.more.end());
    std::string why;
    for (int attempt = 0; attempt < start_attempts_max; ++attempt) {
        try {
            _server = std::make_unique<testing_lib::running_server>(_data, arguments, environment_for(_clock));
            break;
        } catch (const std::runtime_error& e) {
            why = e.what();
            if (why.find("aio-max-nr") == std::string::npos && why.find("is taken") == std::string::npos) {
                break;
            }
            std::this_thread::sleep_for(start_retry);
        }
    }
    if (!_server) {
        _verdict.violated("P4", "the server does not start: " + why);
        return false;
    }
    _memory_mib = options.memory_mib;
    _site.reset(new site{.native_port = _server->port,
                         .table_port = _server->table_port,
                         .line_port = line_port,
                         .syslog_port = syslog_port,
                         .clock = _clock,
                         .found = _verdict});
    if (options.in_cgroup) {
        limit_memory(_server->process.pid(), static_cast<uint64_t>(options.memory_mib * memory_tolerance) << 20, _verdict);
    }
    return true;
}

void subject::start_and_kill(const start_options& options, std::chrono::milliseconds after) {
    std::vector<std::string> arguments{
        "serve", "--data", _data, "--smp", std::to_string(options.shards), "--memory", fmt::format("{}M", options.memory_mib)};
    for (const auto* port :
         {"--http-port", "--table-port", "--blob-port", "--line-port", "--syslog-port", "--json-port", "--graphite-port"}) {
        arguments.insert(arguments.end(), {port, "0"});
    }
    testing_lib::server_process process(arguments, environment_for(_clock));
    std::this_thread::sleep_for(after);
    process.signal(SIGKILL);
    process.wait(end_patience);
}

void subject::pause(std::chrono::milliseconds length) {
    _server->process.signal(SIGSTOP);
    std::this_thread::sleep_for(length);
    _server->process.signal(SIGCONT);
    _site->resumed_at = std::chrono::steady_clock::now();
}

void subject::kill() {
    if (!_server->process.is_running()) {
        _verdict.violated("P5", "the server had ended by itself: " + _server->process.output());
    }
    _server->process.signal(SIGKILL);
    _site->killed_at = std::chrono::steady_clock::now();
    _said = _server->process.wait(end_patience).output;
    _server.reset();
}

void subject::end() {
    _server->process.signal(SIGTERM);
    const auto finished = _server->process.wait(end_patience);
    if (finished.status != 0) {
        _verdict.violated("P4", fmt::format("told to end, the server ended with {}: {}", finished.status, finished.output));
    }
    _said = finished.output;
    _server.reset();
}

std::string subject::complaints() {
    std::deque<std::string> last;
    std::istringstream lines(_server ? _server->process.output() : _said);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("WARN") || line.starts_with("ERROR")) {
            last.push_back(line.substr(0, complaint_length_max));
        }
        if (last.size() > complaints_max) {
            last.pop_front();
        }
    }
    return fmt::format("{}", fmt::join(last, "\n"));
}

void subject::check_memory() {
    const auto kib = resident_kib(_server->process.pid());
    _server->process.output(); // so that a full pipe does not stop it
    if (kib > _memory_mib * 1024 * memory_tolerance) {
        _verdict.violated("P5", fmt::format("{} MiB resident of {} MiB", kib / 1024, _memory_mib));
    }
}

} // namespace torture
