// A handler made of handlers, one for each method and path. What fits none is answered with 404, or with 405 and Allow, in the
// words of the face.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include <seastar/core/future.hh>

#include "http/core/route_table.hh"
#include "http/handler.hh"

namespace http {

class router {
public:
    using routed_handler = std::function<seastar::future<>(request&, path_parameters, reply_writer&)>;

    // See route_table for patterns.
    router& add(std::string_view method, std::string_view pattern, routed_handler);
    // Give the server a lambda that calls this; the router must outlive it.
    seastar::future<> route(request&, reply_writer&) const;

private:
    route_table _table;
    std::vector<routed_handler> _handlers;
};

} // namespace http
