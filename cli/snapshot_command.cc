// downtick snapshot: a copy of the running store that shares its files with it.

#include <fmt/format.h>
#include <simdjson.h>

#include "cli/connection.hh"
#include "cli/option_line.hh"
#include "http/core/percent.hh"

namespace cli {

int snapshot_command(const arguments& args) {
    connection_options connection;
    option_line line("snapshot DIR [OPTIONS]",
                     "a copy of the store as it is now, in a new directory on the server's machine and file system\n"
                     "It takes no space while both are the same, and opens with: downtick serve --data DIR\n"
                     "Example: downtick snapshot /var/lib/downtick-monday");
    connection.add_to(line.options());
    if (const auto done = line.parse(args)) {
        return *done;
    }
    if (line.words().size() != 1) {
        return line.refuse("snapshot: into which directory?");
    }
    auto reply =
        ask_for_good(connection, {.method = "POST", .path = "/v1/snapshot?dir=" + http::percent_encode(line.words()[0])});
    if (!reply) {
        return complain(reply.error());
    }
    simdjson::dom::parser parser;
    simdjson::dom::element taken;
    uint64_t files = 0;
    double seconds = 0;
    if (parser.parse(reply->body).get(taken) != simdjson::SUCCESS || taken["files"].get(files) != simdjson::SUCCESS ||
        taken["seconds"].get(seconds) != simdjson::SUCCESS) {
        return complain({base::errc::io_error, "the server sent a reply that cannot be read"});
    }
    fmt::print("{} files in {:.3f} s; open it with: downtick serve --data {}\n", files, seconds, line.words()[0]);
    return 0;
}

} // namespace cli
