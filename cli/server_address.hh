// Where a server is and how it is spoken to, as a person writes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hh"

namespace cli {

struct server_address {
    std::string host = "127.0.0.1"; // a name or an address, without brackets
    uint16_t port = 8470;
    bool is_secure = false;   // TLS
    std::string ca_file = {}; // PEM: whoever may sign its certificate; empty: whom this machine trusts
    bool is_verified = true;  // false: any certificate will do

    bool operator==(const server_address&) const = default;
};

// "http://host:port", "https://host:port", "host:port" or "host"; an IPv6 address stands in brackets.
base::expected<server_address> parse_server(std::string_view text);

// "host:port", with the brackets.
std::string to_string(const server_address&);

} // namespace cli
