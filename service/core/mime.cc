#include "service/core/mime.hh"

#include <algorithm>

#include "http/core/request_head.hh"
#include "service/core/ascii.hh"

namespace service {
namespace {

constexpr std::string_view blanks = " \t";

} // namespace

std::optional<std::string_view> boundary_of(std::string_view content_type) {
    constexpr std::string_view key = "boundary=";
    size_t end = std::min(content_type.find(';'), content_type.size());
    if (!http::equal_ignoring_case(trimmed(content_type.substr(0, end)), "multipart/mixed")) {
        return std::nullopt;
    }
    while (end < content_type.size()) {
        content_type.remove_prefix(end + 1);
        end = std::min(content_type.find(';'), content_type.size());
        auto parameter = trimmed(content_type.substr(0, end));
        if (!http::equal_ignoring_case(parameter.substr(0, key.size()), key)) {
            continue;
        }
        auto boundary = parameter.substr(key.size());
        if (boundary.size() >= 2 && boundary.starts_with('"') && boundary.ends_with('"')) {
            boundary = boundary.substr(1, boundary.size() - 2);
        }
        return boundary.empty() || boundary.size() > boundary_bytes_max ? std::nullopt : std::optional(boundary);
    }
    return std::nullopt;
}

std::string_view take_line(std::string_view& text) {
    const size_t feed = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, feed);
    text.remove_prefix(std::min(feed + 1, text.size()));
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    return line;
}

std::optional<mime_header> parse_header(std::string_view line) {
    const size_t colon = line.find(':');
    const auto name = line.substr(0, colon);
    if (colon == std::string_view::npos || name.empty() || name.find_first_of(blanks) != std::string_view::npos) {
        return std::nullopt;
    }
    return mime_header{name, trimmed(line.substr(colon + 1))};
}

std::string_view without_blank_lines(std::string_view text) {
    constexpr std::string_view blank = " \t\r\n";
    const size_t first = text.find_first_not_of(blank);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

part_cursor::part_cursor(std::string_view text, std::string_view boundary) : _dashed("--" + std::string(boundary)), _rest(text) {
    // What stands before the first delimiter is a preamble.
    if (const auto first = find_delimiter(_rest)) {
        _rest.remove_prefix(first->end);
        _is_closed = first->is_closing;
        _is_in_part = !_is_closed;
    }
}

std::optional<std::string_view> part_cursor::next() {
    while (_is_in_part) {
        const auto delimiter = find_delimiter(_rest);
        const auto part = _rest.substr(0, delimiter ? delimiter->begin : _rest.size());
        _is_in_part = delimiter && !delimiter->is_closing;
        _is_closed = delimiter && delimiter->is_closing;
        _rest.remove_prefix(delimiter ? delimiter->end : _rest.size());
        if (!without_blank_lines(part).empty()) {
            return part;
        }
    }
    return std::nullopt;
}

std::optional<part_cursor::delimiter> part_cursor::find_delimiter(std::string_view text) const {
    for (size_t at = text.find(_dashed); at != std::string_view::npos; at = text.find(_dashed, at + 1)) {
        if (at > 0 && text[at - 1] != '\n') {
            continue;
        }
        auto rest = text.substr(at + _dashed.size());
        const auto tail = trimmed(take_line(rest));
        if (tail.empty() || tail == "--") {
            return delimiter{at, text.size() - rest.size(), !tail.empty()};
        }
    }
    return std::nullopt;
}

} // namespace service
