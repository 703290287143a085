#include "cli/connection.hh"

#include <cstdlib>

#include <boost/program_options/value_semantic.hpp>
#include <fmt/format.h>
#include <simdjson.h>

namespace cli {

namespace po = boost::program_options;

connection_options::connection_options() {
    if (const char* from_environment = std::getenv("DOWNTICK_SERVER")) {
        server = from_environment;
    }
    if (const char* from_environment = std::getenv("DOWNTICK_TOKEN")) {
        token = from_environment;
    }
}

void connection_options::add_to(po::options_description& table) {
    table.add_options()("server", po::value(&server)->default_value(server)->value_name("URL"),
                        "the server to ask (or DOWNTICK_SERVER)")("token", po::value(&token)->value_name("SECRET"),
                                                                  "what it wants to hear (or DOWNTICK_TOKEN)");
}

int complain(const base::error& e) {
    fmt::print(stderr, "downtick: {}\n", e.detail);
    return 1;
}

base::expected<response> ask(const connection_options& options, call asked) {
    auto address = parse_server(options.server);
    if (!address) {
        return std::unexpected(address.error());
    }
    asked.token = options.token;
    return send(*address, asked);
}

base::expected<response> ask_for_good(const connection_options& options, call asked) {
    auto reply = ask(options, std::move(asked));
    if (!reply || reply->is_ok()) {
        return reply;
    }
    simdjson::dom::parser parser;
    simdjson::dom::element body;
    std::string_view message;
    if (parser.parse(reply->body).get(body) == simdjson::SUCCESS && body["error"]["message"].get(message) == simdjson::SUCCESS) {
        return base::fail(base::errc::io_error, std::string(message));
    }
    return base::fail(base::errc::io_error, fmt::format("the server answers {}: {}", reply->status, reply->body));
}

} // namespace cli
