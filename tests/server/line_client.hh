// Blocking sockets to the real server, for tests that send lines and look what became of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace testing_lib {

class line_client {
public:
    explicit line_client(uint16_t port);
    ~line_client();
    line_client(const line_client&) = delete;
    line_client& operator=(const line_client&) = delete;

    // False when the server is gone.
    bool send(std::string_view bytes);
    // Ends the input and waits for the server's end.
    void finish();
    // POST /write of these lines; the status, 0 when the server is gone. On a native port. A connection that the server ends with
    // its answer is made anew.
    int post(std::string_view lines, std::string_view fields = "");
    // The whole reply, head and all, to a GET with these fields and no other; the server ends the connection with it.
    std::string get(std::string_view path, std::string_view fields);
    // Goes away as a crashed peer does: with a reset.
    void reset();

private:
    void connect();

    const uint16_t _port;
    int _fd = -1;
};

// The Table port, with a shared access signature of the development account.
class table_reader {
public:
    explicit table_reader(uint16_t table_port);

    // The reply's JSON, or the status as text when it is not 200. Not more than one page: 1,000 entities.
    std::string query(const std::string& table, const std::string& filter) const;
    // How many entities of the partition there are.
    size_t count(const std::string& table, const std::string& partition) const;

private:
    uint16_t _port;
    std::string _signature; // as query parameters
};

} // namespace testing_lib
