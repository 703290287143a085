#include "http/core/query_string.hh"

#include <algorithm>

#include "http/core/percent.hh"

namespace http {

base::expected<query_string> query_string::parse(std::string_view raw) {
    query_string query;
    while (!raw.empty()) {
        const auto part = raw.substr(0, raw.find('&'));
        raw.remove_prefix(std::min(part.size() + 1, raw.size()));
        if (part.empty()) {
            continue;
        }
        if (query._parameters.size() == parameters_max) {
            return base::fail(base::errc::invalid_argument, "too many query parameters");
        }
        const auto equals = std::min(part.find('='), part.size());
        auto name = form_decode(part.substr(0, equals));
        auto value = form_decode(part.substr(std::min(equals + 1, part.size())));
        if (!name || !value) {
            return std::unexpected(name ? std::move(value.error()) : std::move(name.error()));
        }
        query._parameters.push_back({std::move(*name), std::move(*value)});
    }
    return query;
}

std::optional<std::string_view> query_string::get(std::string_view name) const {
    const auto found = std::ranges::find(_parameters, name, &query_parameter::name);
    return found == _parameters.end() ? std::nullopt : std::optional<std::string_view>(found->value);
}

} // namespace http
