// The real program as a child process, for tests that look at it from outside.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "cli/http_client.hh"

namespace testing_lib {

// A port nobody listens on at this moment.
uint16_t free_port();

struct finished {
    int status = 0; // exit status, or 128 + signal
    std::chrono::milliseconds took{};
    std::string output; // stdout and stderr together
};

// Files instead of the standard streams, where they are named.
struct redirection {
    std::string input{};
    std::string output{};
};

class server_process {
public:
    // Runs `downtick ARGS...`. Kills it, if need be, in the destructor.
    explicit server_process(std::vector<std::string> args, std::vector<std::string> environment = {},
                            const redirection& files = {});
    ~server_process();
    server_process(const server_process&) = delete;
    server_process& operator=(const server_process&) = delete;

    void signal(int number);
    // Until it ends, at most `limit`; then it is killed and the status says so.
    finished wait(std::chrono::milliseconds limit = std::chrono::seconds(20));
    // What it has printed so far.
    std::string output();
    // The same, once `text` is in it or it has ended.
    std::string wait_for_output(const std::string& text);
    bool is_running();
    pid_t pid() const { return _pid; }

private:
    pid_t _pid = -1;
    int _pipe = -1;
    std::string _output;
    std::optional<int> _status;
};

// `downtick serve` on a free port and a data directory, with two small shards unless `extra` says otherwise; returns when it is
// ready.
class running_server {
public:
    explicit running_server(const std::string& data, std::vector<std::string> extra = {},
                            std::vector<std::string> environment = {});

    base::expected<cli::response> get(const std::string& path) const { return cli::get({"127.0.0.1", port}, path, ""); }
    // The status is 0 when there is no answer.
    cli::response send(const std::string& method, const std::string& path, const std::string& body = "") const;
    // Asks it to end and waits until it has; the exit status.
    int end();

    uint16_t port;
    uint16_t table_port;
    server_process process;
};

} // namespace testing_lib
