#include "cli/commands.hh"

#include <cstdlib>

#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <simdjson.h>

#include "cli/http_client.hh"
#include "cli/inspect.hh"

namespace cli {
namespace {

namespace po = boost::program_options;

struct connection_options {
    std::string server = "http://127.0.0.1:8470";
    std::string token;

    connection_options() {
        if (const char* from_environment = std::getenv("DOWNTICK_SERVER")) {
            server = from_environment;
        }
        if (const char* from_environment = std::getenv("DOWNTICK_TOKEN")) {
            token = from_environment;
        }
    }

    void add_to(po::options_description& table) {
        table.add_options()("server", po::value(&server)->default_value(server)->value_name("URL"),
                            "the server to ask (or DOWNTICK_SERVER)")("token", po::value(&token)->value_name("SECRET"),
                                                                      "what it wants to hear (or DOWNTICK_TOKEN)");
    }
};

int complain(const base::error& e) {
    fmt::print(stderr, "downtick: {}\n", e.detail);
    return 1;
}

base::expected<response> ask(const connection_options& options, std::string_view path) {
    auto address = parse_server(options.server);
    return address ? get(*address, path, options.token) : std::unexpected(address.error());
}

std::string text_at(const simdjson::dom::element& object, std::string_view key) {
    auto found = object[key];
    if (std::string_view text; found.get(text) == simdjson::SUCCESS) {
        return std::string(text);
    }
    return found.error() == simdjson::SUCCESS ? simdjson::minify(found.value_unsafe()) : "?";
}

int print_status(const connection_options& options) {
    auto version = ask(options, "/version");
    auto ready = version ? ask(options, "/readyz") : version;
    if (!ready) {
        return complain(ready.error());
    }
    simdjson::dom::parser parser;
    simdjson::dom::element facts;
    if (version->status != 200 || parser.parse(version->body).get(facts) != simdjson::SUCCESS) {
        return complain({base::errc::io_error, fmt::format("{} is not a Downtick server", options.server)});
    }
    fmt::print("server   {}\nversion  {}\ndata     {}\nshards   {}\nuptime   {} s\nready    {}\n", options.server,
               text_at(facts, "version"), text_at(facts, "data"), text_at(facts, "shards"), text_at(facts, "uptime_seconds"), ready->status == 200 ? "yes" : "no");
    if (ready->status != 200) {
        fmt::print("{}\n", ready->body);
    }
    return ready->status == 200 ? 0 : 1;
}

int status(const arguments& args) {
    connection_options connection;
    po::options_description table("Options");
    connection.add_to(table);
    table.add_options()("help", "this text");
    po::variables_map values;
    try {
        po::store(po::command_line_parser(args).options(table).positional({}).run(), values);
        po::notify(values);
    } catch (const po::error& e) {
        return complain({base::errc::invalid_argument, fmt::format("status: {}; see `downtick status --help`", e.what())});
    }
    if (values.contains("help")) {
        std::ostringstream text;
        text << table;
        fmt::print("downtick status [OPTIONS]: is the server up, and what is it?\nExit status 0: up and ready; 1: not.\n\n{}", text.str());
        return 0;
    }
    return print_status(connection);
}

int version(const arguments&) {
    fmt::print("downtick {}\n", DOWNTICK_VERSION);
    return 0;
}

constexpr command table[] = {
    {"inspect", "what is in a file of a data directory, and is it sound?", inspect},
    {"status", "is the server up, and what is it?", status},
    {"version", "the version of this program", version},
};

} // namespace

std::span<const command> commands() {
    return table;
}

} // namespace cli
