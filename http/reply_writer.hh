// The reply to one request. Either send() once, or start(), any number of write() and finish(). It writes the framing, Date
// and Connection fields itself and leaves the body away where there must be none (HEAD, 204, 304).
//
// Await each call before the next. A call fails when the client is gone: let the exception leave the handler.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <seastar/core/future.hh>
#include <seastar/core/temporary_buffer.hh>

#include "http/body_reader.hh"
#include "http/core/protocol_error.hh"
#include "http/core/reply_head.hh"
#include "http/counters.hh"
#include "http/date_text.hh"
#include "http/wire.hh"

namespace http {

class reply_writer;

// How a face words an error: it must send() a reply with the error's status, and may not read the request.
using error_handler = std::function<seastar::future<>(protocol_error, reply_writer&)>;
// The default: the reason as plain text.
seastar::future<> reply_in_plain_text(protocol_error, reply_writer&);

// What all replies of a listener share.
struct reply_context {
    counters& counts;
    date_text& date;
    const error_handler& on_error;
    bool is_stopping = false; // every reply is the last of its connection
};

class reply_writer {
public:
    using buffer = seastar::temporary_buffer<char>;

    // Without a body reader the request was not understood: the connection closes after the reply.
    reply_writer(wire&, const request_head&, const body_reader*, const reply_context&);

    // A whole reply, in one write when it is small. `fields` are read before the call returns.
    seastar::future<> send(unsigned status, reply_fields fields = {}, std::string body = {});
    // The same in the words of the face.
    seastar::future<> send_error(protocol_error);

    // Begins a reply of `length` bytes, or of unknown length. It goes out with the first write(), flush() or finish().
    void start(unsigned status, reply_fields fields = {}, std::optional<uint64_t> length = {});
    // Sends a piece; resolves when the kernel has taken it, so that a slow client slows the writer. Empty pieces are skipped.
    seastar::future<> write(buffer piece);
    // Makes sure that the client has what was written so far, be it only the head.
    seastar::future<> flush();
    // Ends the reply, with a last piece if there is one.
    seastar::future<> finish(buffer last = {});

    // A field that the reply will carry, whoever sends it; errors too.
    void add_field(std::string_view name, std::string value);
    // Closes the connection after this reply; says so to the client if called before it began.
    void close_after() { _keeps_connection = false; }
    bool is_started() const { return _state != state::fresh; }
    bool is_finished() const { return _state == state::finished; }
    bool keeps_connection() const { return _keeps_connection; }

private:
    enum class state : uint8_t { fresh, streaming, finished };

    struct draft {
        buffer bytes; // the head, and room behind it
        char* end;    // of the head
    };

    draft make_head(unsigned status, reply_fields, std::optional<uint64_t> length, size_t room);
    seastar::future<> put(buffer piece, bool is_last);

    wire& _wire;
    const request_head& _head;
    const body_reader* _body;
    const reply_context& _context;
    state _state = state::fresh;
    std::vector<std::pair<std::string, std::string>> _added_fields;
    bool _keeps_connection;
    bool _has_body = true; // false: its bytes are counted but not sent
    bool _is_chunked = false;
    std::optional<uint64_t> _declared_left; // of a streamed body with a length
    buffer _pending;                        // a head not sent yet
};

} // namespace http
