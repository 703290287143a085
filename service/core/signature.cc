#include "service/core/signature.hh"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

#include <algorithm>
#include <array>

#include "base/planted.hh"
#include "service/core/account_url.hh"
#include "service/core/base64.hh"

namespace service {
namespace {

constexpr size_t digest_bytes = 32;

// Lengths are no secret; where two texts of one length differ is.
bool equal_in_constant_time(std::string_view a, std::string_view b) {
    if (base::planted(base::bug::signature_by_prefix)) {
        return b.starts_with(a);
    }
    return a.size() == b.size() && gnutls_memcmp(a.data(), b.data(), a.size()) == 0;
}

// The path without "-secondary" behind the account; nothing when there is none.
std::optional<std::string> primary_path(std::string_view path, std::string_view account) {
    const size_t end = 1 + account.size();
    if (!path.starts_with('/') || path.substr(1, account.size()) != account || !path.substr(end).starts_with(secondary_suffix)) {
        return std::nullopt;
    }
    const auto rest = path.substr(end + secondary_suffix.size());
    if (!rest.empty() && !rest.starts_with('/')) {
        return std::nullopt;
    }
    return std::string(path.substr(0, end)).append(rest);
}

bool is_fresh(std::string_view date, const clock_rule& clock) {
    const auto time = parse_http_date(date);
    if (!time) {
        return false;
    }
    const int64_t apart = clock.now > *time ? clock.now.value - time->value : time->value - clock.now.value;
    return !clock.skew_ticks_max || apart <= *clock.skew_ticks_max;
}

std::string_view date_of(const signed_request& request) {
    return request.x_ms_date ? *request.x_ms_date : request.date.value_or("");
}

} // namespace

std::string sign(std::string_view key, std::string_view text) {
    std::array<char, digest_bytes> digest{};
    // Fails only for an unknown algorithm.
    gnutls_hmac_fast(GNUTLS_MAC_SHA256, key.data(), key.size(), text.data(), text.size(), digest.data());
    return text_of([&](text_sink& out) { put_base64(out, {digest.data(), digest.size()}); });
}

bool is_signed(std::string_view signature, std::string_view text, std::span<const std::string> keys) {
    bool is_match = false;
    for (const auto& key : keys) {
        is_match |= !key.empty() && equal_in_constant_time(signature, sign(key, text));
    }
    return is_match;
}

outcome<authorization> parse_authorization(std::string_view header) {
    const size_t blank = std::min(header.find(' '), header.size());
    const auto scheme = header.substr(0, blank);
    const auto credentials = header.substr(std::min(blank + 1, header.size()));
    if (scheme != "SharedKey" && scheme != "SharedKeyLite") {
        return header.empty() ? refuse(service_code::invalid_authentication_info) : refuse(service_code::authentication_failed);
    }
    const size_t colon = credentials.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == credentials.size()) {
        return refuse(service_code::invalid_authentication_info);
    }
    return authorization{scheme == "SharedKey" ? key_scheme::shared_key : key_scheme::shared_key_lite,
                         credentials.substr(0, colon), credentials.substr(colon + 1)};
}

std::string string_to_sign(key_scheme scheme, const signed_request& request, std::string_view account) {
    std::string text;
    if (scheme == key_scheme::shared_key) {
        text.append(request.method).append("\n").append(request.content_md5).append("\n");
        text.append(request.content_type).append("\n");
    }
    text.append(date_of(request)).append("\n/").append(account);
    text.append(request.raw_path.empty() ? std::string_view("/") : request.raw_path);
    if (request.comp) {
        text.append("?comp=").append(*request.comp);
    }
    return text;
}

outcome<void> authenticate(const authorization& header, const signed_request& request, const account_secrets& account,
                           const clock_rule& clock) {
    if (header.account != account.name || !is_fresh(date_of(request), clock)) {
        return refuse(service_code::authentication_failed);
    }
    if (is_signed(header.signature, string_to_sign(header.scheme, request, account.name), account.keys)) {
        return {};
    }
    // Clients of the secondary sign either path.
    if (const auto path = primary_path(request.raw_path, account.name)) {
        auto primary = request;
        primary.raw_path = *path;
        if (is_signed(header.signature, string_to_sign(header.scheme, primary, account.name), account.keys)) {
            return {};
        }
    }
    return refuse(service_code::authentication_failed);
}

std::optional<base::tick> parse_http_date(std::string_view text) {
    static constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    constexpr std::string_view shape = "Aaa, 00 Aaa 0000 00:00:00 GMT";
    if (text.size() != shape.size()) {
        return std::nullopt;
    }
    for (size_t i = 0; i < shape.size(); ++i) {
        const bool is_digit = text[i] >= '0' && text[i] <= '9';
        const bool is_letter = shape[i] == 'A' || shape[i] == 'a';
        if (shape[i] == '0' ? !is_digit : !is_letter && text[i] != shape[i]) {
            return std::nullopt;
        }
    }
    const size_t month = months.find(text.substr(8, 3));
    if (month == std::string_view::npos || month % 3 != 0) {
        return std::nullopt;
    }
    // The rest is what base::parse_time knows, in another order.
    std::string iso(text.substr(12, 4));
    const auto number = month / 3 + 1;
    iso.append(number < 10 ? "-0" : "-").append(std::to_string(number)).append("-").append(text.substr(5, 2));
    iso.append("T").append(text.substr(17, 8)).append("Z");
    return base::parse_time(iso);
}

} // namespace service
