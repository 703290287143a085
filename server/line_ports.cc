#include "server/line_ports.hh"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <tuple>

#include <seastar/core/coroutine.hh>

#include "server/listening.hh"

namespace server {
namespace {

struct line_port {
    ingest::protocol spoken;
    uint16_t port;
    std::string_view option;
};

} // namespace

seastar::future<base::expected<void>> line_ports::start(const settings& s, seastar::sharded<ingest::intake>& intake) {
    const std::array ports{line_port{ingest::protocol::line, s.line_port, "line-port"},
                           line_port{ingest::protocol::json, s.json_port, "json-port"},
                           line_port{ingest::protocol::graphite, s.graphite_port, "graphite-port"},
                           line_port{ingest::protocol::syslog, s.syslog_port, "syslog-port"}};
    static_assert(std::tuple_size_v<decltype(ports)> == std::tuple_size_v<decltype(_listeners)>);
    for (size_t i = 0; i < ports.size(); ++i) {
        if (ports[i].port == 0) {
            continue;
        }
        auto& listener = _listeners[i];
        co_await listener.start(ports[i].spoken, std::ref(intake));
        if (auto listening = co_await start_listening(listener, s, ports[i].port, ports[i].option); !listening) {
            co_return listening;
        }
    }
    co_return base::expected<void>();
}

seastar::future<> line_ports::stop() {
    for (size_t i = _listeners.size(); i > 0; --i) {
        co_await _listeners[i - 1].stop();
    }
}

} // namespace server
