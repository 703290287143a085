#include "tables/core/etag.hh"

namespace tables {
namespace {

constexpr std::string_view opening = "W/\"";
constexpr std::string_view closing = "\"";
constexpr std::string_view time_opening = "datetime'";
constexpr std::string_view time_closing = "'";

std::string_view without(std::string_view text, std::string_view prefix, std::string_view suffix) {
    return text.substr(prefix.size(), text.size() - prefix.size() - suffix.size());
}

bool is_between(std::string_view text, std::string_view prefix, std::string_view suffix) {
    return text.size() >= prefix.size() + suffix.size() && text.starts_with(prefix) && text.ends_with(suffix);
}

std::string with_plain_colons(std::string_view text) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
        const auto here = text.substr(i, 3);
        if (here == "%3A" || here == "%3a") {
            out += ':';
            i += 2;
        } else {
            out += text[i];
        }
    }
    return out;
}

// Nothing for a text that to_text() would not write.
std::optional<base::tick> timestamp_of(std::string_view value) {
    if (!is_between(value, time_opening, time_closing)) {
        return std::nullopt;
    }
    const auto text = with_plain_colons(without(value, time_opening, time_closing));
    const auto timestamp = base::parse_time(text);
    return timestamp && base::to_text(*timestamp) == text ? timestamp : std::nullopt;
}

} // namespace

std::string etag_text(base::tick timestamp) {
    std::string text(opening);
    text += time_opening;
    for (char c : base::to_text(timestamp)) {
        if (c == ':') {
            text += "%3A";
        } else {
            text += c;
        }
    }
    text += time_closing;
    text += closing;
    return text;
}

base::expected<etag> parse_etag(std::string_view text) {
    if (!is_between(text, opening, closing)) {
        return base::fail(base::errc::invalid_argument, "an ETag is written W/\"...\"");
    }
    const auto value = without(text, opening, closing);
    if (value.contains('"')) {
        return base::fail(base::errc::invalid_argument, "only one ETag can be given");
    }
    return etag{timestamp_of(value)};
}

} // namespace tables
