// Shared-key signatures: the texts clients sign, and whether a signature is one of ours.
//
//   SharedKey      VERB \n Content-MD5 \n Content-Type \n Date \n resource
//   SharedKeyLite  Date \n resource
//   resource       "/" account, the raw path, "?comp=" value where there is one
//
// The path is signed as it was sent, neither decoded nor encoded again; in path style the account therefore stands in it twice.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/ticks.hh"
#include "service/core/service_error.hh"

namespace service {

// An account and what proves to be it. Borrowed.
struct account_secrets {
    std::string_view name;
    std::span<const std::string> keys; // decoded from base64; one or two, any may sign
};

// base64(HMAC-SHA256(key, text))
std::string sign(std::string_view key, std::string_view text);
// Looks at all keys and at all characters, whatever the first ones say.
bool is_signed(std::string_view signature, std::string_view text, std::span<const std::string> keys);

enum class key_scheme : uint8_t { shared_key, shared_key_lite };

struct authorization {
    key_scheme scheme;
    std::string_view account;
    std::string_view signature;
};

// "SharedKey account:signature". AuthenticationFailed for a scheme that is not ours, InvalidAuthenticationInfo for the rest.
outcome<authorization> parse_authorization(std::string_view header);

// What of a request is signed. Texts are those of the headers, as sent.
struct signed_request {
    std::string_view method; // as sent, also when it tunnels another
    std::string_view content_md5;
    std::string_view content_type;
    std::optional<std::string_view> x_ms_date; // wins over Date
    std::optional<std::string_view> date;
    std::string_view raw_path;
    std::optional<std::string_view> comp; // decoded
};

std::string string_to_sign(key_scheme, const signed_request&, std::string_view account);

// How far the date of a request may be from `now`.
struct clock_rule {
    base::tick now;
    std::optional<int64_t> skew_ticks_max = 15 * 60 * base::ticks_per_second; // nothing: not checked
};

// AuthenticationFailed for another account, a wrong signature, a missing, unreadable or stale date.
outcome<void> authenticate(const authorization&, const signed_request&, const account_secrets&, const clock_rule&);

// "Mon, 16 Nov 2026 00:59:49 GMT"
std::optional<base::tick> parse_http_date(std::string_view);

} // namespace service
