// The pieces of MIME that transactions are made of: parameters, header lines and parts between boundaries.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace service {

// RFC 2046 has 70; clients stay near 50.
constexpr size_t boundary_bytes_max = 128;

// The boundary of "multipart/mixed; boundary=x", quoted or not; nothing for another type, without one, or one too long.
std::optional<std::string_view> boundary_of(std::string_view content_type);

struct mime_header {
    std::string_view name;
    std::string_view value; // without blanks around it
};

// Takes one line off the front, without its CRLF or LF.
std::string_view take_line(std::string_view& text);
// Header lines up to and with the blank line behind them, or up to the end of the text. `next` is called for each;
// false when a line is no header.
template <class Next>
bool take_headers(std::string_view& text, Next next);
std::optional<mime_header> parse_header(std::string_view line);

// Blank lines at the front and at the end are nobody's.
std::string_view without_blank_lines(std::string_view text);

// Walks the parts between delimiter lines ("--boundary", "--boundary--" for the last).
class part_cursor {
public:
    part_cursor(std::string_view text, std::string_view boundary);

    // The next part that is not blank; nothing behind the last.
    std::optional<std::string_view> next();
    // The closing delimiter has been seen.
    bool is_closed() const { return _is_closed; }

private:
    struct delimiter {
        size_t begin;
        size_t end; // behind its line
        bool is_closing;
    };
    std::optional<delimiter> find_delimiter(std::string_view text) const;

    const std::string _dashed; // "--boundary"
    std::string_view _rest;
    bool _is_in_part = false;
    bool _is_closed = false;
};

template <class Next>
bool take_headers(std::string_view& text, Next next) {
    while (!text.empty()) {
        const auto line = take_line(text);
        if (line.empty()) {
            return true;
        }
        const auto header = parse_header(line);
        if (!header) {
            return false;
        }
        next(*header);
    }
    return true;
}

} // namespace service
