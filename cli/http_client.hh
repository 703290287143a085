// One blocking HTTP request to a Downtick server: what a command-line program needs and no more.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hh"

namespace cli {

struct server_address {
    std::string host = "127.0.0.1";
    uint16_t port = 8470;

    bool operator==(const server_address&) const = default;
};

// "http://host:port", "host:port" or "host".
base::expected<server_address> parse_server(std::string_view text);

struct response {
    int status = 0;
    std::string body;
};

constexpr int connect_timeout_s = 5;
constexpr int reply_timeout_s = 60;
// A command that would print more than this streams instead.
constexpr size_t body_bytes_max = 64u << 20;

// `token` may be empty. Errors are sentences that say what to do.
base::expected<response> get(const server_address&, std::string_view path, std::string_view token);

} // namespace cli
