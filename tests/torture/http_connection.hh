// A blocking HTTP connection that is kept open from request to request, and that never hides what it does not know: a request
// whose reply did not come whole has no outcome.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace torture {

struct http_request {
    std::string method = "GET";
    std::string target;
    std::map<std::string, std::string> fields = {};
    std::string body = {};
};

struct http_reply {
    int status = 0;
    std::string body;
    std::string head; // as it came

    bool is_ok() const { return status >= 200 && status < 300; }
    // A header field of the reply; empty when it is not there. Names as the server writes them.
    std::string field(std::string_view name) const;
};

class http_connection {
public:
    explicit http_connection(uint16_t port) : _port(port) {}
    ~http_connection() { close(); }
    http_connection(const http_connection&) = delete;
    http_connection& operator=(const http_connection&) = delete;

    // Connects when need be. Nothing: nobody knows what became of it.
    std::optional<http_reply> send(const http_request&);

private:
    bool connect();
    void close();
    bool write_all(std::string_view);
    bool read_some();
    std::optional<http_reply> read_reply();
    std::optional<std::string> take(size_t count);
    std::optional<std::string> take_line();
    std::optional<std::string> take_chunks();

    uint16_t _port;
    int _fd = -1;
    std::string _received; // and not taken yet
};

} // namespace torture
