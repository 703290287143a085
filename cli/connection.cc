#include "cli/connection.hh"

#include <cstdio>
#include <cstdlib>

#include <boost/program_options/value_semantic.hpp>
#include <fmt/format.h>
#include <simdjson.h>
#include <unistd.h>

#include "cli/row_table.hh"

namespace cli {

namespace po = boost::program_options;

namespace {

void take_from_environment(const char* name, std::string& target) {
    if (const char* value = std::getenv(name)) {
        target = value;
    }
}

base::error no_downtick(const connection_options& options, int status) {
    return {base::errc::io_error,
            fmt::format("{} is no Downtick server: it answers {} in words of its own", options.server, status)};
}

} // namespace

connection_options::connection_options() {
    take_from_environment("DOWNTICK_SERVER", server);
    take_from_environment("DOWNTICK_TOKEN", token);
    take_from_environment("DOWNTICK_CA", ca_file);
}

void connection_options::add_to(po::options_description& table) {
    table.add_options()("server", po::value(&server)->default_value(server)->value_name("URL"),
                        "the server to ask (or DOWNTICK_SERVER)")("token", po::value(&token)->value_name("SECRET"),
                                                                  "what it wants to hear (or DOWNTICK_TOKEN)")(
        "ca", po::value(&ca_file)->value_name("FILE"), "of https: trust the certificates in FILE (or DOWNTICK_CA)")(
        "insecure", po::bool_switch(&is_insecure), "of https: trust whoever answers");
}

base::expected<server_address> connection_options::address() const {
    return parse_server(server).transform([this](server_address address) {
        address.ca_file = ca_file;
        address.is_verified = !is_insecure;
        return address;
    });
}

int complain(const base::error& e) {
    fmt::print(stderr, "downtick: {}\n", e.detail);
    return 1;
}

bool print_piece(std::string_view piece, bool is_text) {
    if (is_text && ::isatty(STDOUT_FILENO) != 0) {
        const auto text = printable(piece, true);
        return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    }
    return std::fwrite(piece.data(), 1, piece.size(), stdout) == piece.size();
}

base::expected<response> ask(const connection_options& options, call asked) {
    auto address = options.address();
    if (!address) {
        return std::unexpected(address.error());
    }
    asked.token = options.token;
    auto reply = send(*address, asked);
    if (reply && reply->is_page()) {
        return std::unexpected(no_downtick(options, reply->status));
    }
    return reply;
}

base::expected<response> ask_for_good(const connection_options& options, call asked) {
    auto reply = ask(options, std::move(asked));
    return !reply || reply->is_ok() ? reply : std::unexpected(error_of(options, *reply));
}

base::error error_of(const connection_options& options, const response& reply) {
    if (reply.status == 401) {
        return {base::errc::io_error, options.token.empty()
                                          ? "this server wants a token: --token SECRET, or DOWNTICK_TOKEN"
                                          : "this server has another token than --token or DOWNTICK_TOKEN says"};
    }
    simdjson::dom::parser parser;
    simdjson::dom::element body;
    std::string_view message;
    if (parser.parse(reply.body).get(body) == simdjson::SUCCESS && body["error"]["message"].get(message) == simdjson::SUCCESS) {
        return {reply.status == 404 ? base::errc::entity_not_found : base::errc::io_error, std::string(message)};
    }
    return no_downtick(options, reply.status);
}

} // namespace cli
