#include "server/core/policy_body.hh"

#include <string_view>

#include <fmt/format.h>
#include <simdjson.h>

#include "tables/core/unicode.hh"

namespace server {
namespace {

std::unexpected<base::error> bad_body(const std::string& why) {
    return base::fail(base::errc::invalid_argument,
                      why + R"(; send {"period":"1h|1d|7d|month","keep":"30d","max_bytes":1000000}, each may be left away)");
}

} // namespace

base::expected<tables::retention_policy> read_policy(std::string name, const std::string& body) {
    if (name.size() > policy_name_bytes_max || !tables::is_utf8(name)) {
        return base::fail(base::errc::invalid_argument,
                          fmt::format("the name of a family or a source has at most {} bytes of UTF-8", policy_name_bytes_max));
    }
    simdjson::dom::parser parser;
    simdjson::dom::object object;
    if (parser.parse(body).get(object) != simdjson::SUCCESS) {
        return bad_body("the body is not a JSON object");
    }
    tables::retention_policy policy{.name = std::move(name)};
    for (const auto [key, value] : object) {
        std::string_view text;
        if (key != "period" && key != "keep" && key != "max_bytes") {
            return bad_body(fmt::format("there is no '{}' here", key));
        }
        if (value.is_null()) {
            continue;
        }
        if (key == "max_bytes") {
            if (value.get(policy.max_bytes) != simdjson::SUCCESS) {
                return bad_body("max_bytes is not a number of bytes");
            }
        } else if (value.get(text) != simdjson::SUCCESS) {
            return bad_body(fmt::format("{} is not a text", key));
        } else if (key == "period") {
            if (policy.period = tables::parse_period(text); !policy.period) {
                return base::fail(base::errc::invalid_argument, fmt::format("period: '{}' is none of 1h, 1d, 7d, month", text));
            }
        } else {
            const auto ticks = tables::parse_length(text);
            if (!ticks) {
                return base::fail(base::errc::invalid_argument,
                                  fmt::format("keep: '{}' is not a length of time like 45s, 90m, 12h, 30d or 4w", text));
            }
            policy.keep_ticks = *ticks;
        }
    }
    return policy;
}

} // namespace server
