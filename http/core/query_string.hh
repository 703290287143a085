// The parameters of a raw query: split first, then decoded once as form data.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hh"

namespace http {

struct query_parameter {
    std::string name;
    std::string value;

    bool operator==(const query_parameter&) const = default;
};

class query_string {
public:
    // Requests of all faces together know about 40 names; lookups are linear.
    static constexpr size_t parameters_max = 128;

    // `raw` is the text after '?'. Empty parts ("a=1&&b=2") are skipped, a part without '=' has an empty value. Fails with
    // invalid_argument on a bad escape and on more than parameters_max parameters.
    static base::expected<query_string> parse(std::string_view raw);

    // The first parameter of that name; names are case-sensitive.
    std::optional<std::string_view> get(std::string_view name) const;
    // All of them, repeated names too, in their order.
    const std::vector<query_parameter>& all() const { return _parameters; }

private:
    std::vector<query_parameter> _parameters;
};

} // namespace http
