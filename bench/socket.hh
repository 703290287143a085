// A TCP connection to this machine.
#pragma once

#include <cstdint>
#include <string_view>

namespace bench {

// Without Nagle's delay. Ends the program when nobody listens: there is nothing to measure then.
int connect_to(uint16_t port);

// False when the other side is gone.
bool send_all(int fd, std::string_view bytes);

} // namespace bench
