// The data side of the native port: /v1, /write and what belongs to them. One on each shard. The listener is up before the data
// is (so that /healthz answers while a log is replayed); until open() every data route answers 503.
#pragma once

#include <string>

#include <seastar/core/future.hh>

#include "http/router.hh"

namespace server {

class native_api {
public:
    // An empty token: nobody has to present one.
    explicit native_api(std::string token) : _token(std::move(token)) {}

    // Faces add their routes here, before open().
    http::router& routes() { return _routes; }
    void open() { _is_open = true; }
    void set_token(std::string token) { _token = std::move(token); }

    bool has_token() const { return !_token.empty(); }
    // There is a token, and the request has it.
    bool is_trusted(const http::request&) const;
    // 401 without the token, 403 for a foreign web page that would change something where none is needed, 503 while not open,
    // else what the routes say.
    seastar::future<> answer(http::request&, http::reply_writer&) const;

    seastar::future<> stop() { return seastar::make_ready_future<>(); }

private:
    std::string _token;
    http::router _routes;
    bool _is_open = false;
};

} // namespace server
