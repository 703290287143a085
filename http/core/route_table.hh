// Which route a request takes: method and path pattern -> number of the route. A pattern is a path whose segments are text or
// "{name}"; a name takes one whole segment that is not empty, percent-decoded once. The first route that fits wins.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace http {

struct path_parameter {
    std::string name;
    std::string value;

    bool operator==(const path_parameter&) const = default;
};

// The named segments of a path, in their order.
struct path_parameters : std::vector<path_parameter> {
    // The value of a name that the pattern has.
    const std::string& get(std::string_view name) const;
};

class route_table {
public:
    struct match {
        size_t route = 0; // in order of add()
        path_parameters parameters;
    };
    struct miss {
        unsigned status = 404; // 404, 405, or 400 when a segment cannot be decoded
        std::string allow;     // for 405: the methods this path has, as the Allow header wants them

        bool operator==(const miss&) const = default;
    };

    void add(std::string_view method, std::string_view pattern);
    // `path` is raw. A route for GET also takes HEAD.
    std::expected<match, miss> find(std::string_view method, std::string_view path) const;

private:
    struct route {
        std::string method;
        std::vector<std::string> segments; // "{name}" for a parameter
    };
    static bool fits(const route&, const std::vector<std::string_view>& segments);

    std::vector<route> _routes;
};

} // namespace http
