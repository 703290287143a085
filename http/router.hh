// A handler made of handlers, one for each method and path. What fits none is answered with 404, or with 405 and Allow, in the
// words of the face.
#pragma once

#include <functional>
#include <map>
#include <string>
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
    // The same for what changes something, or takes few parameters: a request with any other parameter than these, or one of them
    // twice, is refused. Somebody who misspelt `dry_run` must not find out by what is gone.
    router& add_strict(std::string_view method, std::string_view pattern, std::vector<std::string> parameters, routed_handler);
    // Give the server a lambda that calls this; the router must outlive it.
    seastar::future<> route(request&, reply_writer&) const;

private:
    struct strictness {
        std::vector<std::string> parameters;
        std::string refusal; // a sentence
    };

    route_table _table;
    std::vector<routed_handler> _handlers;
    std::map<size_t, strictness> _strict; // by route
};

} // namespace http
