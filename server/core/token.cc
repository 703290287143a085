#include "server/core/token.hh"

#include <cassert>
#include <string>

#include "http/core/query_string.hh"
#include "http/core/request_head.hh"
#include "service/core/base64.hh"

namespace server {
namespace {

bool equal_in_constant_time(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) {
        return false;
    }
    unsigned difference = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
    }
    return difference == 0;
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

// "user:password": the secret is the password, or both together.
bool is_secret(std::string_view credentials, std::string_view secret) {
    const auto colon = credentials.find(':');
    return colon != credentials.npos &&
           (equal_in_constant_time(credentials.substr(colon + 1), secret) || equal_in_constant_time(credentials, secret));
}

bool is_password(std::string_view credentials, std::string_view secret) {
    const auto decoded = service::decode_base64(credentials);
    return decoded && is_secret(*decoded, secret);
}

} // namespace

bool presents_token(std::optional<std::string_view> authorization, std::string_view secret) {
    assert(!secret.empty());
    if (!authorization) {
        return false;
    }
    const auto blank = authorization->find(' ');
    const auto scheme = authorization->substr(0, blank);
    const auto rest = blank == authorization->npos ? std::string_view() : trimmed(authorization->substr(blank));
    if (http::equal_ignoring_case(scheme, "basic")) {
        return is_password(rest, secret);
    }
    const bool is_plain = http::equal_ignoring_case(scheme, "bearer") || http::equal_ignoring_case(scheme, "token");
    return is_plain && equal_in_constant_time(rest, secret);
}

bool query_presents_token(std::string_view raw_query, std::string_view secret) {
    assert(!secret.empty());
    const auto parameters = http::query_string::parse(raw_query);
    const auto password = parameters ? parameters->get("p") : std::nullopt;
    return password && is_secret(std::string(parameters->get("u").value_or("")) + ':' + std::string(*password), secret);
}

} // namespace server
