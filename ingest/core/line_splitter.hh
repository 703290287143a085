// Lines of a byte stream, as they become complete. A line ends with LF or CR LF; one longer than line_bytes_max is reported
// and skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ingest/core/line_step.hh"

namespace ingest {

class line_splitter {
public:
    struct line {
        std::string_view text; // without its end; of one that is too long: nothing
        uint64_t number = 0;   // from 1
        bool is_too_long = false;
    };

    // Takes the next line off the front of `rest`. Nothing: the line is not all there; come back with the same bytes (at most
    // line_bytes_max) and more behind them. At the end of the input the last line needs no end.
    std::optional<line> next(std::string_view& rest, input_end end);

    // Takes blanks and blank lines off the front, before the first line.
    void skip_blanks(std::string_view& rest);

private:
    bool skip_line(std::string_view& rest);

    uint64_t _line = 1;        // the number of the line that `rest` begins with
    bool _is_skipping = false; // that line is too long and was reported
    size_t _looked_at = 0;     // so many bytes of it hold no LF
};

} // namespace ingest
