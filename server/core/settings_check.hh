// Whether settings make sense together, so far as that can be told without touching the machine.
#pragma once

#include <string>

#include "base/error.hh"
#include "server/core/settings.hh"

namespace server {

// The mistake, as a sentence that names the option.
base::expected<void> check_settings(const settings&);

// The same for a server that goes on where it listens, with the keys and the token of `now`: what others can reach must not
// become open because the file has another address by now.
base::expected<void> check_reload(const settings& running, settings now);

bool is_loopback(const std::string& address);

// How a program on this machine finds what listens on `bind`: HOST:PORT for a URL.
std::string authority_of(const std::string& bind, uint16_t port);

} // namespace server
