#include "cli/commands.hh"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include <fmt/format.h>
#include <simdjson.h>

#include "cli/connection.hh"
#include "cli/inspect.hh"
#include "cli/option_line.hh"

namespace cli {
namespace {

std::string text_at(const simdjson::dom::element& object, std::string_view key) {
    auto found = object[key];
    if (std::string_view text; found.get(text) == simdjson::SUCCESS) {
        return std::string(text);
    }
    return found.error() == simdjson::SUCCESS ? simdjson::minify(found.value_unsafe()) : "?";
}

int print_status(const connection_options& options) {
    constexpr int at_once_s = 5; // none of these waits for anything
    auto version = ask(options, {.path = "/version", .patience_s = at_once_s});
    auto ready = version ? ask(options, {.path = "/readyz", .patience_s = at_once_s}) : version;
    if (!ready) {
        return complain(ready.error());
    }
    simdjson::dom::parser parser;
    simdjson::dom::element facts;
    if (version->status != 200 || parser.parse(version->body).get(facts) != simdjson::SUCCESS) {
        return complain({base::errc::io_error, fmt::format("{} is not a Downtick server", options.server)});
    }
    fmt::print("server   {}\nversion  {}\ndata     {}\nshards   {}\nuptime   {} s\nready    {}\n", options.server,
               text_at(facts, "version"), text_at(facts, "data"), text_at(facts, "shards"), text_at(facts, "uptime_seconds"),
               ready->status == 200 ? "yes" : "no");
    if (ready->status != 200) {
        fmt::print("{}\n", ready->body);
    }
    return ready->status == 200 ? 0 : 1;
}

int status(const arguments& args) {
    connection_options connection;
    option_line line("status [OPTIONS]", "is the server up, and what is it?\nExit status 0: up and ready; 1: not.");
    connection.add_to(line.options());
    if (const auto done = line.parse(args)) {
        return *done;
    }
    return line.words().empty() ? print_status(connection) : line.refuse("status: takes no names");
}

int version(const arguments& args) {
    option_line line("version", "the version of this program");
    if (const auto done = line.parse(args)) {
        return *done;
    }
    if (!line.words().empty()) {
        return line.refuse("version: takes no names");
    }
    fmt::print("downtick {}\n", DOWNTICK_VERSION);
    return 0;
}

constexpr command table[] = {
    {"tail", "the newest rows of families, sources and tables; --follow stays on", tail},
    {"range", "rows or aggregates between two times", range},
    {"write", "send points in line protocol", write},
    {"families", "the families there are, what is in one; delete rows of one", families},
    {"sources", "the sources of log records there are", sources},
    {"table", "ls, create NAME, drop NAME", table_command},
    {"retention", "ls, set NAME --keep 30d, unset NAME, run", retention_command},
    {"snapshot", "DIR: a copy of the running store that shares its files", snapshot_command},
    {"scrub", "verify every checksum of what is stored", scrub_command},
    {"blob", "ls [PREFIX], cat NAME: the blobs of log records", blob_command},
    {"bench", "a small load on a running server, and what it sustains", bench_command},
    {"status", "is the server up, and what is it?", status},
    {"inspect", "what is in a file of a data directory, and is it sound?", inspect},
    {"completion", "a script that completes these commands in bash, zsh or fish", completion},
    {"version", "the version of this program", version},
};

} // namespace

std::span<const command> commands() {
    return table;
}

int run_command(const command& which, const arguments& args) {
    int status = 0;
    try {
        status = which.run(args);
    } catch (const std::system_error&) {
        if (std::ferror(stdout) == 0) {
            throw;
        } // fmt's way to say that it could not print
    }
    const bool is_flushed = std::fflush(stdout) == 0;
    const auto why = is_flushed ? std::string() : fmt::format(": {}", std::strerror(errno));
    if (is_flushed && std::ferror(stdout) == 0) {
        return status;
    }
    fmt::print(stderr, "downtick: the output could not be written{}\n", why);
    return status == 0 ? 1 : status;
}

} // namespace cli
