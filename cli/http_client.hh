// One blocking HTTP request to a Downtick server: what a command-line program needs and no more.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/error.hh"
#include "cli/channel.hh"
#include "cli/server_address.hh"

namespace cli {

struct response {
    int status = 0;
    std::string body;
    std::map<std::string, std::string> headers; // names in lower case

    bool is_ok() const { return status >= 200 && status < 300; }
    // For a person with a browser: no answer of a Downtick server is one.
    bool is_page() const {
        const auto type = headers.find("content-type");
        return type != headers.end() && type->second.starts_with("text/html");
    }
};

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
    bool waits_forever = false;       // a live tail may be silent for long
    int patience_s = reply_timeout_s; // for anything else
    bool keeps_open = false;          // more is to be sent over the same channel
};

// Errors are sentences that say what to do.
base::expected<response> send(const server_address&, const call&);
base::expected<response> send(channel&, const server_address&, const call&);
base::expected<response> get(const server_address&, std::string_view path, std::string_view token);

} // namespace cli
