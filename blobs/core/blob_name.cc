#include "blobs/core/blob_name.hh"

#include <charconv>

#include <fmt/format.h>

#include "blobs/core/limits.hh"

namespace blobs {
namespace {

constexpr std::string_view empty_source = "%";
constexpr std::string_view extension = ".log";
constexpr size_t counter_digits_min = 6;
constexpr size_t counter_digits_max = 20;
constexpr size_t place_bytes = sizeof("/YYYY/MM/DD/HHMM/") - 1;

bool stays(char c, bool is_first) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           (c == '.' && !is_first);
}

std::optional<char> parse_hex_pair(std::string_view pair) {
    uint8_t value = 0;
    const auto [end, error] = std::from_chars(pair.data(), pair.data() + pair.size(), value, 16);
    if (pair.size() != 2 || error != std::errc() || end != pair.data() + pair.size()) {
        return std::nullopt;
    }
    return static_cast<char>(value);
}

std::optional<uint64_t> parse_counter(std::string_view digits) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.size() < counter_digits_min || digits.size() > counter_digits_max || error != std::errc() ||
        end != digits.data() + digits.size()) {
        return std::nullopt;
    }
    return value;
}

} // namespace

std::string safe_source(std::string_view source) {
    if (source.empty()) {
        return std::string(empty_source);
    }
    std::string safe;
    for (const char c : source) {
        if (stays(c, safe.empty())) {
            safe.push_back(c);
        } else {
            safe += fmt::format("%{:02X}", static_cast<uint8_t>(c));
        }
    }
    return safe;
}

std::optional<std::string> parse_safe_source(std::string_view safe) {
    std::string source;
    if (safe != empty_source) {
        for (size_t i = 0; i < safe.size(); ++i) {
            if (safe[i] != '%') {
                source.push_back(safe[i]);
                continue;
            }
            const auto c = parse_hex_pair(safe.substr(i + 1, 2));
            if (!c) {
                return std::nullopt;
            }
            source.push_back(*c);
            i += 2;
        }
    }
    // There is one way to write a name.
    if (source.size() > source_bytes_max || safe_source(source) != safe) {
        return std::nullopt;
    }
    return source;
}

std::string blob_name(const blob_identity& identity) {
    const auto time = base::to_text(identity.period_start); // YYYY-MM-DDThh:mm:...
    const auto part = [&](size_t at, size_t size) { return std::string_view(time).substr(at, size); };
    return fmt::format("{}/{}/{}/{}/{}{}/{:06}{}", safe_source(identity.source), part(0, 4), part(5, 2), part(8, 2), part(11, 2),
                       part(14, 2), identity.counter, extension);
}

std::optional<blob_identity> parse_blob_name(std::string_view name) {
    const size_t slash = name.find('/');
    if (slash == std::string_view::npos || !name.ends_with(extension) || name.size() < slash + place_bytes + extension.size()) {
        return std::nullopt;
    }
    const auto source = parse_safe_source(name.substr(0, slash));
    const auto place = name.substr(slash, place_bytes);
    const auto digits = name.substr(slash + place_bytes, name.size() - slash - place_bytes - extension.size());
    const auto counter = parse_counter(digits);
    const auto part = [&](size_t at, size_t size) { return place.substr(at, size); };
    const auto start =
        base::parse_time(fmt::format("{}-{}-{}T{}:{}:00Z", part(1, 4), part(6, 2), part(9, 2), part(12, 2), part(14, 2)));
    if (!source || !counter || !start) {
        return std::nullopt;
    }
    blob_identity identity{*source, *start, *counter};
    return blob_name(identity) == name ? std::optional(std::move(identity)) : std::nullopt;
}

} // namespace blobs
