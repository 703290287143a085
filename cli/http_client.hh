// One blocking HTTP request to a Downtick server: what a command-line program needs and no more.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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
    std::map<std::string, std::string> headers; // names in lower case

    bool is_ok() const { return status >= 200 && status < 300; }
};

constexpr int connect_timeout_s = 5;
constexpr int reply_timeout_s = 60;
// A command that would print more than this streams instead.
constexpr size_t body_bytes_max = 64u << 20;

struct call {
    std::string method = "GET";
    std::string path;
    std::string accept;
    std::string token; // may be empty
    std::string body;
    // Of a good reply: each piece of its body as it comes, instead of response::body. False ends the call.
    std::function<bool(std::string_view)> on_body;
    // Called every second while nothing comes.
    std::function<void()> on_wait;
    bool waits_forever = false; // a live tail may be silent for long
};

// Errors are sentences that say what to do.
base::expected<response> send(const server_address&, const call&);
base::expected<response> get(const server_address&, std::string_view path, std::string_view token);

} // namespace cli
