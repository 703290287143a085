#include "server/native_api.hh"

#include "server/core/token.hh"
#include "server/native_http.hh"

namespace server {

seastar::future<> native_api::answer(http::request& request, http::reply_writer& reply) const {
    if (!_token.empty() && !presents_token(request.head.header("authorization"), _token) &&
        !query_presents_token(request.head.query, _token)) {
        reply.add_field("WWW-Authenticate", "Bearer");
        return send_json_error(reply, 401, "unauthorized", "this server wants a token: Authorization: Bearer SECRET");
    }
    if (!_is_open) {
        return send_json_error(reply, 503, "not_ready", "the server is starting");
    }
    return _routes.route(request, reply);
}

} // namespace server
