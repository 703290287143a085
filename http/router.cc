#include "http/router.hh"

namespace http {

static protocol_error to_error(unsigned status) {
    switch (status) {
    case 400: return {400, "the path is not percent-encoded"};
    case 405: return {405, "this path has no such method"};
    default: return {404, "there is nothing at this path"};
    }
}

router& router::add(std::string_view method, std::string_view pattern, routed_handler handle) {
    _table.add(method, pattern);
    _handlers.push_back(std::move(handle));
    return *this;
}

seastar::future<> router::route(request& req, reply_writer& reply) const {
    auto found = _table.find(req.head.method, req.head.path);
    if (found) {
        return _handlers[found->route](req, std::move(found->parameters), reply);
    }
    if (!found.error().allow.empty()) {
        reply.add_field("Allow", std::move(found.error().allow));
    }
    return reply.send_error(to_error(found.error().status));
}

} // namespace http
