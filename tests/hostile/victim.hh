// A server that is attacked, and what the attack costs it: resident memory and processor time, read from /proc. Each attack has a
// ceiling for both, and others must be served meanwhile and afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/lib/temporary_directory.hh"
#include "tests/server/server_process.hh"

namespace hostile {

struct cost {
    double memory_mib = 0;
    double cpu_s = 0;
};

class victim {
public:
    victim();

    uint16_t native_port() const { return _server.port; }
    uint16_t table_port() const { return _server.table_port; }
    uint16_t line_port() const { return _line_port; }
    uint16_t syslog_port() const { return _syslog_port; }
    uint16_t json_port() const { return _json_port; }
    uint16_t blob_port() const { return _blob_port; }
    const testing_lib::temporary_directory& place() const { return _place; }

    // What it has taken so far.
    cost now();
    // A write and a read of somebody else, each within a second; false otherwise.
    bool serves_others();

private:
    testing_lib::temporary_directory _place;
    uint16_t _line_port, _syslog_port, _json_port, _blob_port;
    testing_lib::running_server _server;
};

// Fails the test when what happens from its making to its end costs more than the ceiling, or when others are not served then.
class within {
public:
    within(victim&, cost ceiling);
    ~within();
    within(const within&) = delete;
    within& operator=(const within&) = delete;

private:
    victim& _victim;
    const cost _ceiling;
    const cost _before;
};

// A connection that says what it likes.
class attacker {
public:
    explicit attacker(uint16_t port);
    ~attacker();
    attacker(const attacker&) = delete;
    attacker& operator=(const attacker&) = delete;

    // False when the server has closed, or takes nothing for a few seconds.
    bool send(std::string_view);
    // The status of the reply; 0 when there is none in time.
    int status();
    // One request and its status.
    int ask(std::string_view request) { return send(request) ? status() : status(); }

private:
    int _fd;
};

// "GET target" with what a client sends.
std::string get(std::string_view target);

} // namespace hostile
