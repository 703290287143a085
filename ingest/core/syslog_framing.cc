#include "ingest/core/syslog_framing.hh"

#include <algorithm>
#include <utility>

#include "base/planted.hh"
#include "base/take.hh"

namespace ingest {

std::optional<syslog_splitter::message> syslog_splitter::next(std::string_view& rest, input_end end) {
    if (!skip_between(rest)) {
        return std::nullopt;
    }
    count c;
    switch (framing_of(rest, c)) {
    case framing::counted: return take_counted(rest, c, end);
    case framing::line: return take_line(rest, end);
    case framing::unknown: break;
    }
    return end == input_end::yes ? take_line(rest, end) : std::nullopt;
}

// False when nothing is left.
bool syslog_splitter::skip_between(std::string_view& rest) {
    const size_t skipped = std::min(_skip_bytes, rest.size());
    rest.remove_prefix(skipped);
    _skip_bytes -= skipped;
    if (_is_skipping_line) {
        const size_t line_break = std::min(rest.find('\n'), rest.size());
        _is_skipping_line = line_break == rest.size();
        rest.remove_prefix(line_break);
    }
    while (!rest.empty() && (rest.front() == '\n' || rest.front() == '\r' || rest.front() == '\0')) {
        rest.remove_prefix(1);
    }
    return !rest.empty();
}

// Only digits, a space and '<' make a count: a line may begin with a number, too.
syslog_splitter::framing syslog_splitter::framing_of(std::string_view rest, count& c) {
    size_t at = 0;
    for (; at < rest.size() && base::is_digit(rest[at]); ++at) {
        if (at == syslog_count_digits_max || rest.front() == '0') {
            return framing::line;
        }
        c.bytes = c.bytes * 10 + static_cast<size_t>(rest[at] - '0');
    }
    if (at == 0) {
        return framing::line;
    }
    for (char expected : {' ', '<'}) {
        if (at == rest.size()) {
            return framing::unknown;
        }
        if (rest[at++] != expected) {
            return framing::line;
        }
    }
    c.digits = at - 1;
    return framing::counted;
}

std::optional<syslog_splitter::message> syslog_splitter::take_counted(std::string_view& rest, const count& c, input_end end) {
    const size_t wanted = base::planted(base::bug::trusted_length) ? c.bytes : std::min(c.bytes, syslog_message_bytes_max);
    const size_t there = std::min(rest.size() - c.digits, wanted);
    if (there < wanted && end == input_end::no) {
        return std::nullopt;
    }
    const message m{rest.substr(c.digits, there), there < c.bytes};
    rest.remove_prefix(c.digits + there);
    _skip_bytes = c.bytes - there;
    return m;
}

std::optional<syslog_splitter::message> syslog_splitter::take_line(std::string_view& rest, input_end end) {
    const size_t line_break = rest.substr(0, syslog_message_bytes_max + 1).find('\n', std::exchange(_looked_at, 0));
    if (line_break != rest.npos) {
        auto bytes = rest.substr(0, line_break);
        rest.remove_prefix(line_break + 1);
        return message{bytes.ends_with('\r') ? bytes.substr(0, bytes.size() - 1) : bytes};
    }
    if (rest.size() <= syslog_message_bytes_max && end == input_end::no) {
        _looked_at = rest.size();
        return std::nullopt;
    }
    const message m{rest.substr(0, syslog_message_bytes_max), rest.size() > syslog_message_bytes_max};
    rest.remove_prefix(m.bytes.size());
    _is_skipping_line = m.is_cut;
    return m;
}

} // namespace ingest
