#include "http/input.hh"

#include <algorithm>
#include <cassert>
#include <utility>

#include <seastar/core/coroutine.hh>

namespace http {

input::input(wire& w, const parse_limits& limits, const deadlines& waits) : _wire(w), _waits(waits), _parser(limits) {}

seastar::future<result<bool>> input::next_head() {
    assert(_is_complete);
    if (std::exchange(_has_request, false)) {
        _parser.next_request();
        _head_buffer = {};
    }
    for (;;) {
        if (_buffer.empty()) {
            _buffer = {}; // an idle connection holds no memory for reading
            const auto deadline = _parser.is_between_requests() ? wire::clock::now() + _waits.idle : _head_deadline;
            _buffer = co_await _wire.read(deadline);
            if (_buffer.empty() && _parser.is_between_requests()) {
                co_return false;
            }
            if (_buffer.empty()) {
                co_return end_of_input();
            }
        }
        if (_parser.is_between_requests()) {
            _head_deadline = wire::clock::now() + _waits.head;
        }
        auto event = parse();
        if (!event) {
            co_return std::unexpected(event.error());
        }
        if (*event == parse_event::head) {
            _has_request = true;
            _is_complete = false;
            _received_bytes = 0;
            _body_deadline = wire::clock::time_point::max();
            if (!head().has_body()) {
                event = parse(); // consumes nothing
                assert(event == parse_event::complete);
            }
            co_return true;
        }
    }
}

seastar::future<result<wire::buffer>> input::next_piece() {
    if (_is_complete) {
        return seastar::make_ready_future<result<wire::buffer>>();
    }
    auto event = parse();
    if (!event) {
        return seastar::make_ready_future<result<wire::buffer>>(std::unexpected(event.error()));
    }
    if (*event != parse_event::need_more) {
        return seastar::make_ready_future<result<wire::buffer>>(std::move(_piece));
    }
    return wait_for_piece();
}

seastar::future<result<wire::buffer>> input::wait_for_piece() {
    for (;;) {
        if (!_head_buffer.get()) {
            _head_buffer = std::move(_buffer);
        }
        _buffer = co_await _wire.read(std::min(wire::clock::now() + _waits.body_progress, _body_deadline));
        if (_buffer.empty()) {
            co_return end_of_input();
        }
        auto event = parse();
        if (!event) {
            co_return std::unexpected(event.error());
        }
        if (*event != parse_event::need_more) {
            co_return std::move(_piece);
        }
    }
}

// Leaves the piece of a `body` event in _piece, and nothing there otherwise.
result<parse_event> input::parse() {
    _piece = {};
    auto step = _parser.feed({_buffer.get(), _buffer.size()});
    if (!step) {
        _has_failed = true;
        return std::unexpected(step.error());
    }
    if (step->event == parse_event::body) {
        _piece = _buffer.share(static_cast<size_t>(step->body.data() - _buffer.get()), step->body.size());
        _received_bytes += _piece.size();
    }
    _buffer.trim_front(step->consumed);
    _is_complete = step->event == parse_event::complete;
    return step->event;
}

std::unexpected<protocol_error> input::end_of_input() {
    _has_failed = true;
    return _wire.has_expired() ? refuse(408, "the request came too slowly")
                               : refuse(400, "the connection ended in the middle of a request");
}

} // namespace http
