// A server on a free port of the loopback address, and a client that speaks bytes. For tests, which run in a Seastar thread.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include <seastar/core/iostream.hh>
#include <seastar/core/loop.hh>
#include <seastar/core/sharded.hh>
#include <seastar/core/sleep.hh>
#include <seastar/core/thread.hh>
#include <seastar/core/timer.hh>
#include <seastar/net/api.hh>

#include "http/server.hh"

namespace testing_lib {

using namespace std::chrono_literals;

class http_fixture {
public:
    using credentials_maker = seastar::shared_ptr<seastar::tls::server_credentials> (*)();

    explicit http_fixture(http::handler handle, http::server_config config = {},
                          http::error_handler on_error = http::reply_in_plain_text, credentials_maker credentials = nullptr) {
        _servers.start(std::move(config), std::move(handle), std::move(on_error)).get();
        _servers
            .invoke_on_all([credentials](http::server& s) {
                s.listen(seastar::ipv4_addr("127.0.0.1", 0), credentials ? credentials() : nullptr);
            })
            .get();
    }
    ~http_fixture() { stop(); }

    void stop() {
        if (!std::exchange(_is_stopped, true)) {
            _servers.stop().get();
        }
    }

    seastar::socket_address address() { return _servers.local().address(); }
    seastar::sharded<http::server>& servers() { return _servers; }

    // Sums one counter over the shards.
    template <class Field>
    uint64_t count(Field http::counters::* field) {
        return _servers.map_reduce0([field](http::server& s) { return uint64_t(s.counts().*field); }, uint64_t(0), std::plus())
            .get();
    }

private:
    seastar::sharded<http::server> _servers;
    bool _is_stopped = false;
};

// Waits for a condition that the server brings about; the deadline is only there to end a broken test.
template <class Condition>
void wait_until(Condition condition) {
    const auto end = seastar::lowres_clock::now() + 20s;
    while (!condition()) {
        if (seastar::lowres_clock::now() > end) {
            throw std::runtime_error("the condition never came true");
        }
        seastar::sleep(1ms).get();
    }
}

class raw_client {
public:
    explicit raw_client(seastar::connected_socket socket)
        : _socket(std::move(socket)), _in(_socket.input()), _out(_socket.output().detach()) {}
    explicit raw_client(seastar::socket_address address) : raw_client(seastar::connect(address).get()) {}
    explicit raw_client(http_fixture& server) : raw_client(server.address()) {}
    ~raw_client() { close(); }

    raw_client& send(std::string_view bytes) {
        _out.put(seastar::temporary_buffer<char>::copy_of(bytes)).get();
        return *this;
    }

    // The next reply, head and body as sent (a chunked body with its frames).
    std::string reply(bool is_head = false) {
        while (!_held.contains("\r\n\r\n")) {
            if (!fill()) {
                return take(_held.size());
            }
        }
        const auto head_bytes = _held.find("\r\n\r\n") + 4;
        const std::string_view head(_held.data(), head_bytes);
        if (const auto at = head.find("Content-Length: "); at != head.npos && !is_head) {
            const auto total = head_bytes + std::stoul(std::string(head.substr(at + 16)));
            while (_held.size() < total && fill()) {
            }
            return take(total);
        }
        if (head.contains("Transfer-Encoding: chunked")) {
            while (!_held.contains("\r\n0\r\n\r\n") && fill()) {
            }
            return take(_held.find("0\r\n\r\n", head_bytes) + 5);
        }
        return take(head_bytes);
    }

    // Everything up to the end of the connection.
    std::string rest() {
        while (fill()) {
        }
        return take(_held.size());
    }

    void stop_sending() { _socket.shutdown_output(); }
    void close() {
        if (!std::exchange(_is_closed, true)) {
            _socket.shutdown_output();
            _socket.shutdown_input();
            _in.close().get();
            _socket = {};
        }
    }

private:
    // False at the end. A server that neither answers nor closes fails the test here.
    bool fill() {
        bool is_stuck = false;
        seastar::timer<seastar::lowres_clock> patience([&] {
            is_stuck = true;
            _socket.shutdown_input();
        });
        patience.arm(20s);
        try {
            auto bytes = _in.read().get();
            if (is_stuck) {
                throw std::runtime_error("the server neither answers nor closes");
            }
            _held.append(bytes.get(), bytes.size());
            return !bytes.empty();
        } catch (const std::system_error&) {
            return false; // a reset
        }
    }

    std::string take(size_t bytes) {
        auto taken = _held.substr(0, bytes);
        _held.erase(0, bytes);
        return taken;
    }

    seastar::connected_socket _socket;
    seastar::input_stream<char> _in;
    seastar::data_sink _out; // no stream: bytes leave when they are sent
    std::string _held;
    bool _is_closed = false;
};

inline std::string body_of(std::string_view reply) {
    const auto end = reply.find("\r\n\r\n");
    return end == reply.npos ? std::string() : std::string(reply.substr(end + 4));
}

inline std::string status_of(std::string_view reply) {
    return std::string(reply.substr(0, reply.find("\r\n")));
}

} // namespace testing_lib
