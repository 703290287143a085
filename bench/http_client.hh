// A blocking HTTP/1.1 client over one keep-alive connection to this machine.
#pragma once

#include <cstdint>
#include <string_view>

#include "bench/http_reply.hh"

namespace bench {

struct http_reply {
    int status = 0;        // 0: the connection was lost
    std::string_view body; // lives until the next exchange
};

class http_client {
public:
    explicit http_client(uint16_t port);
    ~http_client();
    http_client(const http_client&) = delete;
    http_client& operator=(const http_client&) = delete;

    // The whole of a request, whose body may stand apart, and of its reply. Connects again when the connection was lost.
    http_reply exchange(std::string_view request, std::string_view body = {});

private:
    bool read_reply();

    uint16_t _port;
    int _fd;
    http_reply_reader _reader;
};

} // namespace bench
