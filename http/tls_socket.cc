#include "http/tls_socket.hh"

#include <seastar/core/coroutine.hh>
#include <seastar/net/stack.hh>

namespace http {

namespace {

// What the TLS session is given to own: everything goes on to the shared socket.
class shared_socket final : public seastar::net::connected_socket_impl {
public:
    explicit shared_socket(seastar::lw_shared_ptr<seastar::connected_socket> socket) : _socket(std::move(socket)) {}

    seastar::data_source source() override { return _socket->input().detach(); }
    seastar::data_source source(seastar::connected_socket_input_stream_config config) override {
        return _socket->input(config).detach();
    }
    seastar::data_sink sink() override { return _socket->output().detach(); }
    void shutdown_input() override { _socket->shutdown_input(); }
    void shutdown_output() override { _socket->shutdown_output(); }
    void set_nodelay(bool on) override { _socket->set_nodelay(on); }
    bool get_nodelay() const override { return _socket->get_nodelay(); }
    void set_keepalive(bool on) override { _socket->set_keepalive(on); }
    bool get_keepalive() const override { return _socket->get_keepalive(); }
    void set_keepalive_parameters(const seastar::net::keepalive_params& p) override { _socket->set_keepalive_parameters(p); }
    seastar::net::keepalive_params get_keepalive_parameters() const override { return _socket->get_keepalive_parameters(); }
    void set_sockopt(int level, int name, const void* data, size_t length) override {
        _socket->set_sockopt(level, name, data, length);
    }
    int get_sockopt(int level, int name, void* data, size_t length) const override {
        return _socket->get_sockopt(level, name, data, length);
    }
    seastar::socket_address local_address() const noexcept override { return _socket->local_address(); }
    seastar::socket_address remote_address() const noexcept override { return _socket->remote_address(); }
    seastar::future<> wait_input_shutdown() override { return _socket->wait_input_shutdown(); }

private:
    seastar::lw_shared_ptr<seastar::connected_socket> _socket;
};

} // namespace

seastar::future<client_socket> wrap_in_tls(seastar::connected_socket plain,
                                           seastar::shared_ptr<seastar::tls::server_credentials> credentials) {
    auto tcp = seastar::make_lw_shared(std::move(plain));
    seastar::connected_socket shared(std::make_unique<shared_socket>(tcp));
    auto secure = co_await seastar::tls::wrap_server(std::move(credentials), std::move(shared));
    co_return client_socket{std::move(secure), std::move(tcp)};
}

} // namespace http
