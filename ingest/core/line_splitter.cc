#include "ingest/core/line_splitter.hh"

#include <algorithm>
#include <utility>

#include "ingest/core/limits.hh"

namespace ingest {

std::optional<line_splitter::line> line_splitter::next(std::string_view& rest, input_end end) {
    if ((_is_skipping && !skip_line(rest)) || rest.empty()) {
        return std::nullopt;
    }
    // One byte more than a line may have: its LF.
    const size_t line_break = rest.substr(0, line_bytes_max + 1).find('\n', std::exchange(_looked_at, 0));
    if (line_break == rest.npos && rest.size() > line_bytes_max) {
        _is_skipping = true;
        return line{.text = {}, .number = _line, .is_too_long = true};
    }
    if (line_break == rest.npos && end == input_end::no) {
        _looked_at = rest.size();
        return std::nullopt;
    }
    auto text = rest.substr(0, line_break);
    rest.remove_prefix(line_break == rest.npos ? rest.size() : line_break + 1);
    if (text.ends_with('\r')) {
        text.remove_suffix(1);
    }
    return line{.text = text, .number = _line++};
}

void line_splitter::skip_blanks(std::string_view& rest) {
    const auto blanks = rest.substr(0, rest.find_first_not_of(" \t\r\n"));
    _line += static_cast<uint64_t>(std::ranges::count(blanks, '\n'));
    rest.remove_prefix(blanks.size());
}

// True when its end was found.
bool line_splitter::skip_line(std::string_view& rest) {
    const size_t line_break = rest.find('\n');
    if (line_break == rest.npos) {
        rest = {};
        return false;
    }
    rest.remove_prefix(line_break + 1);
    _is_skipping = false;
    ++_line;
    return true;
}

} // namespace ingest
