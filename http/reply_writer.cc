#include "http/reply_writer.hh"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <seastar/core/deleter.hh>

namespace http {

// A 503 is only useful to a client that knows when to come back.
static constexpr unsigned retry_after_seconds = 1;
static constexpr std::string_view last_chunk = "\r\n0\r\n\r\n";             // after the end of the chunk before it
static constexpr size_t chunk_frame_bytes_max = 16 + 2 + last_chunk.size(); // hexadecimal size, CRLF, end

seastar::future<> reply_in_plain_text(protocol_error error, reply_writer& reply) {
    return reply.send(error.status, {{"Content-Type", "text/plain; charset=utf-8"}}, fmt::format("{}\n", error.reason));
}

static seastar::temporary_buffer<char> to_buffer(std::string text) {
    auto held = std::make_unique<std::string>(std::move(text));
    auto* data = held->data();
    const auto size = held->size();
    return {data, size, seastar::make_object_deleter(std::move(held))};
}

static seastar::future<> misused(const char* how) {
    return seastar::make_exception_future<>(std::logic_error(how));
}

reply_writer::reply_writer(wire& w, const request_head& head, const body_reader* body, const reply_context& context)
    : _wire(w), _head(head), _body(body), _context(context), _keeps_connection(body != nullptr && head.keep_alive) {}

seastar::future<> reply_writer::send(unsigned status, reply_fields fields, std::string body) {
    if (_state != state::fresh) {
        return misused("a second reply to one request");
    }
    _state = state::finished;
    const bool is_inline = body.size() <= inline_body_bytes_max;
    auto [out, end] = make_head(status, fields, body.size(), is_inline ? body.size() : 0);
    if (_has_body && is_inline) {
        end = std::ranges::copy(body, end).out;
    }
    out.trim(static_cast<size_t>(end - out.get()));
    if (!_has_body || is_inline) {
        return _wire.write(std::move(out));
    }
    std::vector<buffer> pieces;
    pieces.reserve(2);
    pieces.push_back(std::move(out));
    pieces.push_back(to_buffer(std::move(body)));
    return _wire.write(std::move(pieces));
}

seastar::future<> reply_writer::send_error(protocol_error error) {
    return _context.on_error(error, *this);
}

void reply_writer::start(unsigned status, reply_fields fields, std::optional<uint64_t> length) {
    if (_state != state::fresh) {
        throw std::logic_error("a second reply to one request");
    }
    _state = state::streaming;
    // HTTP/1.0 knows no chunks: there the end of the connection is the end of the body.
    _is_chunked = !length && _head.version_minor > 0;
    _keeps_connection &= length || _is_chunked;
    auto [out, end] = make_head(status, fields, length, 0);
    out.trim(static_cast<size_t>(end - out.get()));
    _pending = std::move(out);
    _declared_left = _has_body ? length : std::nullopt;
}

seastar::future<> reply_writer::write(buffer piece) {
    if (_state != state::streaming || piece.size() > _declared_left.value_or(piece.size())) {
        return misused("more body than was announced");
    }
    if (piece.empty() || !_has_body) {
        return seastar::make_ready_future<>();
    }
    if (_declared_left) {
        *_declared_left -= piece.size();
    }
    return put(std::move(piece), false);
}

seastar::future<> reply_writer::flush() {
    return _pending.empty() ? seastar::make_ready_future<>() : _wire.write(std::exchange(_pending, {}));
}

seastar::future<> reply_writer::finish(buffer last) {
    if (_state != state::streaming || last.size() != _declared_left.value_or(last.size())) {
        return misused("less body than was announced");
    }
    _state = state::finished;
    if (!_has_body || (last.empty() && !_is_chunked)) {
        return flush();
    }
    return put(std::move(last), true);
}

void reply_writer::add_field(std::string_view name, std::string value) {
    _added_fields.emplace_back(name, std::move(value));
}

reply_writer::draft reply_writer::make_head(unsigned status, reply_fields fields, std::optional<uint64_t> length, size_t room) {
    _has_body = _head.method != "HEAD" && !is_bodiless(status);
    _is_chunked &= _has_body;
    _keeps_connection &= !_context.is_stopping && _body != nullptr && _body->can_be_skipped();
    _context.counts.count_reply(status);
    auto connection = connection_field::none;
    if (!_keeps_connection) {
        connection = connection_field::close;
    } else if (_head.version_minor == 0) {
        connection = connection_field::keep_alive;
    }
    std::vector<reply_field> all; // stays empty, and costs nothing, where no field was added
    if (!_added_fields.empty()) {
        all.assign(fields.begin(), fields.end());
        for (const auto& [name, value] : _added_fields) {
            all.push_back({name, value});
        }
    }
    const bool needs_retry_after = status == 503 && std::ranges::none_of(fields, [](const reply_field& field) {
                                       return equal_ignoring_case(field.name, "retry-after");
                                   });
    const reply_head head{
        .status = status,
        .fields = all.empty() ? fields : reply_fields(all),
        .date = _context.date.now(),
        .content_length = is_bodiless(status) ? std::nullopt : length,
        .retry_after_seconds = needs_retry_after ? std::optional(retry_after_seconds) : std::nullopt,
        .is_chunked = _is_chunked,
        .connection = connection,
    };
    buffer out(reply_head_bytes_max(head) + room);
    auto* end = write_reply_head(head, out.get_write());
    return {std::move(out), end};
}

seastar::future<> reply_writer::put(buffer piece, bool is_last) {
    const bool is_inline = piece.size() <= inline_body_bytes_max;
    buffer out(_pending.size() + chunk_frame_bytes_max + (is_inline ? piece.size() : 0));
    auto* end = std::copy_n(_pending.get(), _pending.size(), out.get_write());
    _pending = {};
    if (_is_chunked && !piece.empty()) {
        end = fmt::format_to(end, "{:x}\r\n", piece.size());
    }
    std::string_view tail;
    if (_is_chunked) {
        tail = piece.empty() ? last_chunk.substr(2) : is_last ? last_chunk : last_chunk.substr(0, 2);
    }
    if (is_inline) {
        end = std::copy_n(piece.get(), piece.size(), end);
        end = std::ranges::copy(tail, end).out;
        out.trim(static_cast<size_t>(end - out.get()));
        return _wire.write(std::move(out));
    }
    out.trim(static_cast<size_t>(end - out.get()));
    std::vector<buffer> pieces;
    pieces.reserve(3);
    pieces.push_back(std::move(out));
    pieces.push_back(std::move(piece));
    if (!tail.empty()) {
        pieces.push_back(buffer::copy_of(tail));
    }
    return _wire.write(std::move(pieces));
}

} // namespace http
