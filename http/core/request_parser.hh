// One connection's bytes -> requests, incrementally. llhttp (strict) walks the bytes; this class adds what it lacks: verbs
// outside its list, exact limits, refusals with the right status, and heads as views without a copy.
//
// feed() consumes up to the next event and says how many bytes that took; what is left is fed again. The answer does not
// depend on how the stream is cut: limits are counted in bytes of the stream, not of a call.
//
//   head      head() is filled in; the body, if any, follows. Its views are into the bytes of this very call when the whole
//             head came in it, else into a copy held here: keep those bytes alive as long as the head is used.
//   body      `body` is the next piece, a view into the bytes of this call
//   complete  the request ends here; call next_request() before feeding on
//   need_more everything was consumed and nothing is finished
//
// After a failure the position in the stream is lost for ever: answer and close.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <llhttp.h>

#include "http/core/limits.hh"
#include "http/core/protocol_error.hh"
#include "http/core/request_head.hh"

namespace http {

enum class parse_event : uint8_t { need_more, head, body, complete };

struct parse_step {
    parse_event event = parse_event::need_more;
    size_t consumed = 0;
    std::string_view body;
};

class request_parser {
public:
    explicit request_parser(const parse_limits& = {});
    // llhttp keeps the address of this object.
    request_parser(const request_parser&) = delete;
    request_parser& operator=(const request_parser&) = delete;

    result<parse_step> feed(std::string_view bytes);

    // Valid from `head` until next_request().
    const request_head& head() const { return _head; }
    // Forgets the request; gives back memory that only an unusually large one needed.
    void next_request();
    // True while not one byte of the next request has been seen, empty lines aside.
    bool is_between_requests() const { return _phase == phase::method && _position == _head_begin; }

private:
    enum class phase : uint8_t { method, request_line, headers, body, complete, failed };
    enum class pause : uint8_t { line_end, headers_end, body_piece, message_end };
    // Offsets from the first byte of the head, so that they survive its move into _carried. Begin 0: not set yet.
    struct range {
        uint32_t begin = 0;
        uint32_t end = 0;
    };
    struct field_ranges {
        range name;
        range value;
    };
    struct callbacks;

    result<parse_step> read_head(std::string_view bytes);
    result<size_t> read_method(std::string_view bytes);
    result<parse_step> finish_head(std::string_view bytes);
    result<parse_step> read_body(std::string_view bytes);
    // Runs llhttp over the bytes; says how many it took before it paused or ran out of them.
    result<size_t> execute(std::string_view bytes);
    std::unexpected<protocol_error> fail(protocol_error);
    protocol_error llhttp_failure(llhttp_errno_t) const;
    size_t head_bytes_max() const;
    uint64_t framing_bytes_left() const;
    void extend(range&, const char* at, size_t length) const;

    const parse_limits _limits;
    llhttp_t _llhttp;
    phase _phase = phase::method;
    pause _pause = pause::line_end; // where llhttp stopped, while it is paused
    bool _is_paused = false;        // llhttp waits for llhttp_resume()
    bool _in_field = false;         // the last of _fields is unfinished
    size_t _position = 0;           // bytes of the head consumed so far, empty lines before it included
    size_t _head_begin = 0;         // where the request line starts
    size_t _headers_begin = 0;      // where it ends
    uint64_t _body_bytes = 0;
    uint64_t _framing_bytes = 0;       // chunk sizes, extensions and trailers
    const char* _call_bytes = nullptr; // start of the bytes of this call and its place in the head
    size_t _call_position = 0;
    range _method, _target;
    std::vector<field_ranges> _fields;
    std::string _carried; // the head so far, once a call ended in the middle of it
    std::vector<header_field> _views;
    request_head _head;
    std::string_view _piece;              // of the body
    std::optional<protocol_error> _error; // set for good by the first failure
};

} // namespace http
