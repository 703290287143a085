#include "server/native_api.hh"

#include "server/core/origin.hh"
#include "server/core/token.hh"
#include "server/native_http.hh"

namespace server {

bool native_api::is_trusted(const http::request& request) const {
    return !_token.empty() &&
           (presents_token(request.head.header("authorization"), _token) || query_presents_token(request.head.query, _token));
}

seastar::future<> native_api::answer(http::request& request, http::reply_writer& reply) const {
    if (!_token.empty() && !is_trusted(request)) {
        reply.add_field("WWW-Authenticate", "Bearer");
        return send_json_error(reply, 401, "unauthorized", "this server wants a token: Authorization: Bearer SECRET");
    }
    const bool is_read = request.head.method == "GET" || request.head.method == "HEAD";
    const auto origin = request.head.header("origin");
    if (_token.empty() && !is_read && origin && !is_of_this_machine(*origin)) {
        return send_json_error(reply, 403, "forbidden",
                               "web pages of other machines may not change anything here; set a token to let them");
    }
    if (!_is_open) {
        return send_json_error(reply, 503, "not_ready", "the server is starting");
    }
    return _routes.route(request, reply);
}

} // namespace server
