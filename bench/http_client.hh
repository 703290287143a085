// A blocking HTTP/1.1 client over one keep-alive connection to this machine: enough to measure a server with, and cheap.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

struct http_reply {
    int status = 0;        // 0: the connection was lost
    std::string_view body; // lives until the next exchange
};

class http_client {
public:
    // Ends the program when nobody listens.
    explicit http_client(uint16_t port);
    ~http_client();
    http_client(const http_client&) = delete;
    http_client& operator=(const http_client&) = delete;

    // `head` ends with its empty line. Connects again after a connection was lost.
    http_reply exchange(std::string_view head, std::string_view body = {});

private:
    bool send(std::string_view head, std::string_view body);
    bool receive();
    http_reply read_reply();
    bool read_sized(size_t begin, size_t size);
    bool read_chunks(size_t begin);
    void connect();

    uint16_t _port;
    int _fd = -1;
    std::string _in;   // as received
    std::string _body; // of a reply in chunks
};

} // namespace bench
