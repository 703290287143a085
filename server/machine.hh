// Asks the operating system what there is. Called once, before the reactor starts.
#pragma once

#include <string>

#include "server/core/resources.hh"

namespace server {

machine_facts read_machine_facts();

// What the machine calls itself; empty when it does not tell.
std::string read_host_name();

// As many files and sockets as the hard limit allows.
void raise_file_limit();

// Tells systemd (when it started us) about a change of state: "READY=1", "STOPPING=1".
void notify_supervisor(const char* state);

} // namespace server
