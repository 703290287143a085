#include "http/core/route_table.hh"

#include <algorithm>
#include <cassert>
#include <ranges>

#include "http/core/percent.hh"

namespace http {

static std::vector<std::string_view> split(std::string_view path) {
    std::vector<std::string_view> segments;
    for (auto part : path | std::views::split('/')) {
        segments.emplace_back(part.begin(), part.end());
    }
    return segments;
}

static bool is_parameter(std::string_view segment) {
    return segment.starts_with('{');
}

static bool takes(std::string_view route_method, std::string_view method) {
    return route_method == method || (route_method == "GET" && method == "HEAD");
}

const std::string& path_parameters::get(std::string_view name) const {
    const auto found = std::ranges::find(*this, name, &path_parameter::name);
    assert(found != end());
    return found->value;
}

void route_table::add(std::string_view method, std::string_view pattern) {
    assert(pattern.starts_with('/'));
    const auto segments = split(pattern);
    _routes.push_back({std::string(method), {segments.begin(), segments.end()}});
}

bool route_table::fits(const route& r, const std::vector<std::string_view>& segments) {
    return std::ranges::equal(r.segments, segments, [](std::string_view pattern, std::string_view segment) {
        return is_parameter(pattern) ? !segment.empty() : pattern == segment;
    });
}

static std::expected<path_parameters, route_table::miss> decode(const std::vector<std::string>& pattern,
                                                                const std::vector<std::string_view>& segments) {
    path_parameters parameters;
    for (size_t i = 0; i < pattern.size(); ++i) {
        if (!is_parameter(pattern[i])) {
            continue;
        }
        auto value = percent_decode(segments[i]);
        if (!value) {
            return std::unexpected(route_table::miss{.status = 400});
        }
        parameters.push_back({pattern[i].substr(1, pattern[i].size() - 2), std::move(*value)});
    }
    return parameters;
}

std::expected<route_table::match, route_table::miss> route_table::find(std::string_view method, std::string_view path) const {
    const auto segments = split(path);
    std::string allow;
    for (size_t i = 0; i < _routes.size(); ++i) {
        if (!fits(_routes[i], segments)) {
            continue;
        }
        if (takes(_routes[i].method, method)) {
            return decode(_routes[i].segments, segments).transform([i](path_parameters parameters) {
                return match{i, std::move(parameters)};
            });
        }
        allow += (allow.empty() ? "" : ", ") + _routes[i].method;
    }
    return std::unexpected(allow.empty() ? miss{} : miss{405, std::move(allow)});
}

} // namespace http
