#include "http/router.hh"

#include <algorithm>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "http/core/query_string.hh"

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

router& router::add_strict(std::string_view method, std::string_view pattern, std::vector<std::string> parameters,
                           routed_handler handle) {
    auto refusal = parameters.empty()
                       ? std::string("this path takes no parameters")
                       : fmt::format("a parameter that this path does not know; it takes: {}", fmt::join(parameters, ", "));
    _strict.emplace(_handlers.size(), strictness{std::move(parameters), std::move(refusal)});
    return add(method, pattern, std::move(handle));
}

static bool knows_all(const std::vector<std::string>& known, const query_string& query) {
    return std::ranges::all_of(query.all(), [&](const auto& p) { return std::ranges::contains(known, p.name); });
}

// Of two that contradict each other one would count, and nobody knows which.
static bool has_twins(const query_string& query) {
    const std::span all(query.all());
    for (size_t i = 1; i < all.size(); ++i) {
        if (std::ranges::contains(all.first(i), all[i].name, &query_parameter::name)) {
            return true;
        }
    }
    return false;
}

seastar::future<> router::route(request& req, reply_writer& reply) const {
    auto found = _table.find(req.head.method, req.head.path);
    if (found) {
        const auto strict = _strict.find(found->route);
        if (strict != _strict.end()) {
            const auto query = query_string::parse(req.head.query);
            if (!query || !knows_all(strict->second.parameters, *query)) {
                return reply.send_error({400, strict->second.refusal});
            }
            if (has_twins(*query)) {
                return reply.send_error({400, "a parameter is there twice"});
            }
        }
        return _handlers[found->route](req, std::move(found->parameters), reply);
    }
    if (!found.error().allow.empty()) {
        reply.add_field("Allow", std::move(found.error().allow));
    }
    return reply.send_error(to_error(found.error().status));
}

} // namespace http
