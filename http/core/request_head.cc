#include "http/core/request_head.hh"

#include <algorithm>

namespace http {

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, {}, lower, lower);
}

std::optional<std::string_view> request_head::header(std::string_view name) const {
    for (const auto& field : headers) {
        if (field.name.size() == name.size() && equal_ignoring_case(field.name, name)) {
            return field.value;
        }
    }
    return std::nullopt;
}

size_t request_head::header_count(std::string_view name) const {
    return static_cast<size_t>(
        std::ranges::count_if(headers, [&](const header_field& field) { return equal_ignoring_case(field.name, name); }));
}

} // namespace http
