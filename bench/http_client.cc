#include "bench/http_client.hh"

#include <unistd.h>

#include "bench/socket.hh"

namespace bench {

http_client::http_client(uint16_t port) : _port(port), _fd(connect_to(port)) {}

http_client::~http_client() {
    ::close(_fd);
}

http_reply http_client::exchange(std::string_view request, std::string_view body) {
    _reader.reset();
    if (send_all(_fd, request) && send_all(_fd, body) && read_reply()) {
        return {_reader.status(), _reader.body()};
    }
    ::close(_fd);
    _fd = connect_to(_port);
    return {};
}

bool http_client::read_reply() {
    while (!_reader.advance()) {
        if (_reader.receive(_fd) == http_reply_reader::received::end) {
            return false;
        }
    }
    return true;
}

} // namespace bench
