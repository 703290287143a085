// Syslog messages out of a TCP stream (RFC 6587). Each message says itself how it is framed, so senders may be mixed:
//
//   octet counting   "123 <34>1 ..."   digits, a space, and so many bytes that begin with '<'
//   line             anything else, up to LF or CR LF
//
// LF, CR and NUL between messages are skipped: many senders end counted messages with one, too. A message over the limit is
// handed out cut, and the rest of it skipped.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ingest/core/line_step.hh"

namespace ingest {

// What is longer is cut here; it is also what a connection must be able to buffer (with the count before it).
constexpr size_t syslog_message_bytes_max = size_t{1} << 20;
// Digits of a count. A larger number is not taken for one.
constexpr size_t syslog_count_digits_max = 9;

class syslog_splitter {
public:
    struct message {
        std::string_view bytes;
        bool is_cut = false; // over the limit, or the stream ended inside it
    };

    // Takes the next message off the front of `rest`. Nothing: it is not all there; come back with the same bytes and more
    // behind them. At the end of the input what is left is handed out.
    std::optional<message> next(std::string_view& rest, input_end end);

private:
    struct count {
        size_t digits = 0; // with the space behind them
        size_t bytes = 0;
    };
    enum class framing : uint8_t { counted, line, unknown };

    bool skip_between(std::string_view& rest);
    static framing framing_of(std::string_view rest, count&);
    std::optional<message> take_counted(std::string_view& rest, const count&, input_end end);
    std::optional<message> take_line(std::string_view& rest, input_end end);

    size_t _skip_bytes = 0;         // of a counted message that was cut
    bool _is_skipping_line = false; // of one that ends with a line break
    size_t _looked_at = 0;          // so many bytes of the line hold no LF
};

} // namespace ingest
