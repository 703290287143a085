#include "server/serve.hh"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <utility>

#include <seastar/core/app-template.hh>
#include <seastar/core/condition-variable.hh>
#include <seastar/core/signal.hh>
#include <seastar/util/closeable.hh>

#include "server/app.hh"
#include "server/core/resources.hh"
#include "server/core/settings.hh"
#include "server/core/settings_check.hh"
#include "server/log_wiring.hh"
#include "server/machine.hh"
#include "shard/background.hh"
#include "shard/core/directory_lock.hh"
#include "shard/long_turns.hh"

namespace server {
namespace {

int refuse(const base::error& e) {
    fmt::print(stderr, "downtick: {}\n", e.detail);
    return 1;
}

base::expected<std::string> read_file(const std::string& path) {
    std::ifstream in(path);
    std::string content;
    for (std::array<char, 4096> some; in.read(some.data(), some.size()) || in.gcount() > 0;) {
        content.append(some.data(), static_cast<size_t>(in.gcount()));
    }
    if (!in.is_open() || in.bad()) { // a folder can be opened, and not read
        return base::fail(base::errc::io_error, fmt::format("{}: the configuration file cannot be read", path));
    }
    return content;
}

// Before a long log is replayed.
base::expected<void> check_files(const settings& s) {
    for (const auto& [option, path] : {std::pair("tls-cert", &s.tls_cert), std::pair("tls-key", &s.tls_key)}) {
        if (!path->empty() && !std::ifstream(*path)) {
            return base::fail(base::errc::invalid_argument,
                              fmt::format("{} = {} cannot be read: {}", option, *path, std::strerror(errno)));
        }
    }
    return {};
}

// The level is for our own loggers, one of each folder; the framework speaks up only when something is wrong.
std::string own_log_levels(const std::string& level) {
    std::string text;
    for (const auto* folder : {"blobs", "compaction", "http", "ingest", "server", "shard", "tables"}) {
        text += fmt::format("{}{}={}", text.empty() ? "" : ":", folder, level);
    }
    return text;
}

// What the framework is told; a person never sees these.
std::vector<std::string> reactor_arguments(const settings& s, const resource_plan& plan) {
    return {"downtick", "--smp=" + std::to_string(plan.shards), "--memory=" + std::to_string(plan.allocator_bytes),
            "--reserve-memory=0", "--max-networking-io-control-blocks=" + std::to_string(plan.network_aio_slots),
            // Cores are shared with whatever else runs here: sleep when idle, do not pin. But not at once: to fall asleep, a core
            // interrupts the others and waits for them, which takes longer than most answers of another shard do.
            "--overprovisioned", "--idle-poll-time-us=100", "--blocked-reactor-notify-ms=25", "--default-log-level=warn",
            "--logger-log-level=" + own_log_levels(s.log_level)};
}

// Resolves when the process is asked to end.
class stop_request {
public:
    stop_request() {
        for (int signal : {SIGINT, SIGTERM}) {
            seastar::handle_signal(signal, [this] { request(); });
        }
    }
    seastar::future<> wait() {
        return _changed.wait([this] { return _is_requested; });
    }

private:
    void request() {
        _is_requested = true;
        _changed.broadcast();
    }

    bool _is_requested = false;
    seastar::condition_variable _changed;
};

// Where it listens, and the first things to type. A port of 0 is turned off.
void print_banner(const settings& s, unsigned shards) {
    const auto* scheme = s.tls_cert.empty() ? "http" : "https";
    const auto url = fmt::format("{}://{}", scheme, authority_of(s.bind, s.http_port));
    fmt::print("downtick {} is ready: {} shard(s), data in {}{}\n", DOWNTICK_VERSION, shards, s.data,
               s.bind == "0.0.0.0" || s.bind == "::" ? "; it listens on every address of this machine" : "");
    const auto print_port = [&](const char* what, const char* protocol, unsigned port, const char* path) {
        if (port != 0) {
            fmt::print("  {:<16}{}://{}{}\n", what, protocol, authority_of(s.bind, static_cast<uint16_t>(port)), path);
        }
    };
    print_port("native HTTP", scheme, s.http_port, "");
    print_port("Table service", scheme, s.table_port, "/ACCOUNT");
    print_port("Blob service", scheme, s.blob_port, "/ACCOUNT");
    const auto* lines = s.tls_cert.empty() ? "tcp" : "tls";
    print_port("line protocol", lines, s.line_port, "");
    print_port("JSON lines", lines, s.json_port, "");
    print_port("Graphite", lines, s.graphite_port, "");
    print_port("syslog", lines, s.syslog_port, "");
    if (s.http_port != 0) {
        fmt::print("Try next:\n"
                   "  curl{1} {0}/write{2} --data-binary 'cpu,host=a usage=12.5'\n"
                   "  downtick tail cpu --server {0}{3}\n"
                   "  downtick status --server {0}{3}\n",
                   url, s.tls_cert.empty() ? "" : " --cacert " + s.tls_cert,
                   s.token.empty() ? "" : " -H 'Authorization: Bearer SECRET'",
                   (s.tls_cert.empty() ? "" : " --ca " + s.tls_cert) + (s.token.empty() ? "" : " --token SECRET"));
    }
    std::fflush(stdout);
}

// SIGHUP: the configuration file is read again for its keys and its token.
seastar::future<> reload(app& the_app, const std::vector<std::string>& args) {
    const auto line = parse_command_line(args, read_file);
    return the_app.reload(line.transform([](const auto& l) { return l.options; }));
}

// What SIGHUP asks for. While the store is opened, which may take long, it waits.
class reload_requests {
public:
    explicit reload_requests(std::function<seastar::future<>()> reload) : _reload(std::move(reload)) {
        seastar::handle_signal(SIGHUP, [this] {
            _is_wanted = true;
            serve();
        });
    }
    void start() {
        _is_started = true;
        serve();
    }
    seastar::future<> stop() {
        seastar::handle_signal(SIGHUP, [] {});
        return _work.close();
    }

private:
    void serve() {
        if (_is_started && std::exchange(_is_wanted, false)) {
            shard::run_in_background(_work, "SIGHUP", [this] { return _reload(); });
        }
    }

    std::function<seastar::future<>()> _reload;
    bool _is_started = false;
    bool _is_wanted = false;
    seastar::gate _work;
};

seastar::future<int> run(settings s, resource_plan plan, std::vector<std::string> args) {
    stop_request stop;
    app the_app(s, plan);
    reload_requests reloads([&] { return reload(the_app, args); });
    const auto started = co_await the_app.start();
    if (started) {
        print_banner(s, seastar::smp::count);
        notify_supervisor("READY=1");
        reloads.start();
        co_await stop.wait();
    }
    co_await reloads.stop();
    if (started) {
        notify_supervisor("STOPPING=1");
    }
    co_await the_app.stop();
    co_return started ? 0 : refuse(started.error()); // last, so that it is seen
}

int run_reactor(std::vector<std::string> arguments, std::function<seastar::future<int>()> body) {
    seastar::app_template::config config;
    config.name = "downtick";
    config.auto_handle_sigint_sigterm = false;
    seastar::app_template reactor(std::move(config));
    std::vector<char*> pointers;
    for (auto& argument : arguments) {
        pointers.push_back(argument.data());
    }
    return reactor.run(static_cast<int>(pointers.size()), pointers.data(), std::move(body));
}

} // namespace

int serve(const std::vector<std::string>& args) {
    auto line = parse_command_line(args, read_file);
    if (!line) {
        return refuse(line.error());
    }
    if (line->action == serve_action::print_help) {
        fmt::print("{}", help_text());
        return 0;
    }
    if (line->action == serve_action::print_seastar_help) {
        return run_reactor({"downtick", "--help-seastar"}, [] { return seastar::make_ready_future<int>(0); });
    }
    const settings s = line->options;
    if (auto good = check_files(s); !good) {
        return refuse(good.error());
    }
    if (auto naming = parse_syslog_source(s.syslog_source); !naming) {
        return refuse(naming.error());
    }
    const auto plan = plan_resources(read_machine_facts(), s.smp, s.memory_bytes);
    if (!plan) {
        return refuse(plan.error());
    }
    raise_file_limit();
    shard::take_long_turns();
    std::signal(SIGHUP, SIG_IGN); // until it is handled: it must not end a start
    // Held until the process ends, so that the directory is ours for all of it.
    const auto lock = shard::directory_lock::acquire(s.data);
    if (!lock) {
        return refuse(lock.error());
    }
    return run_reactor(reactor_arguments(s, *plan), [s, plan = *plan, args] { return run(s, plan, args); });
}

} // namespace server
