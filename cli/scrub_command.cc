// downtick scrub: is what is stored still what was written?

#include <fmt/format.h>
#include <simdjson.h>

#include "cli/connection.hh"
#include "cli/option_line.hh"

namespace cli {
namespace {

// Exit status 1 when something is damaged.
int print_last(const std::string& json) {
    simdjson::dom::parser parser;
    simdjson::dom::element state, last;
    if (parser.parse(json).get(state) != simdjson::SUCCESS || state["last"].get(last) != simdjson::SUCCESS) {
        return complain({base::errc::io_error, "the server sent a reply that cannot be read"});
    }
    if (last.is_null()) {
        fmt::print("nothing has been verified yet\n");
        return 0;
    }
    std::string_view message;
    uint64_t files = 0, bytes = 0;
    simdjson::dom::array damage;
    if (last["message"].get(message) != simdjson::SUCCESS || last["files"].get(files) != simdjson::SUCCESS ||
        last["bytes"].get(bytes) != simdjson::SUCCESS || last["damage"].get(damage) != simdjson::SUCCESS) {
        return complain({base::errc::io_error, "the server sent a reply that cannot be read"});
    }
    for (const auto sentence : damage) {
        std::string_view text;
        if (sentence.get(text) == simdjson::SUCCESS) {
            fmt::print("{}\n", text);
        }
    }
    fmt::print("{} ({} files, {} bytes)\n", message, files, bytes);
    return damage.size() == 0 ? 0 : 1;
}

} // namespace

int scrub_command(const arguments& args) {
    connection_options connection;
    option_line line("scrub [--last] [OPTIONS]",
                     "read everything that is stored and verify every checksum; says what is damaged\n"
                     "Exit status 0: everything is as it was written; 1: not.");
    line.options().add_options()("last", "only show what the last pass found");
    connection.add_to(line.options());
    if (const auto done = line.parse(args)) {
        return *done;
    }
    if (!line.words().empty()) {
        return line.refuse("scrub: takes no names");
    }
    const auto reply =
        ask_for_good(connection, {.method = line.has("last") ? "GET" : "POST", .path = "/v1/scrub", .waits_forever = true});
    return reply ? print_last(reply->body) : complain(reply.error());
}

} // namespace cli
