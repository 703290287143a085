#include "http/body_reader.hh"

#include <algorithm>

#include <seastar/core/coroutine.hh>

#include "shard/free_memory.hh"

namespace http {

static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";

body_reader::body_reader(input& in, wire& w)
    : _input(in), _wire(w), _owes_continue(in.head().expect_continue && !in.has_buffered()) {}

seastar::future<result<seastar::temporary_buffer<char>>> body_reader::next() {
    if (!_owes_continue) [[likely]] {
        return _input.next_piece();
    }
    _owes_continue = false;
    return _wire.write(wire::buffer::copy_of(go_on)).then([this] { return _input.next_piece(); });
}

// What came with the head is in memory already.
static bool has_room_for(uint64_t bytes) {
    return bytes <= read_bytes_max || !shard::is_memory_short(bytes);
}

seastar::future<result<std::string>> body_reader::read_all(size_t bytes_max) {
    const protocol_error too_large{413, "the body is larger than allowed here"};
    if (declared_bytes_left() > bytes_max) {
        co_return std::unexpected(too_large);
    }
    const protocol_error no_room{503, "memory is short; try again later"};
    if (!has_room_for(declared_bytes_left())) {
        co_return std::unexpected(no_room);
    }
    std::string all;
    all.reserve(std::min<uint64_t>(declared_bytes_left(), read_bytes_max)); // a promise of more is not worth memory yet
    for (;;) {
        auto piece = co_await next();
        if (!piece) {
            co_return std::unexpected(piece.error());
        }
        if (piece->empty()) {
            co_return all;
        }
        if (piece->size() > bytes_max - all.size()) {
            co_return std::unexpected(too_large);
        }
        // Many at a time may each have found room before any of them came, so it is looked for whenever one grows.
        if (piece->size() > all.capacity() - all.size() && !has_room_for(all.capacity())) {
            co_return std::unexpected(no_room);
        }
        all.append(piece->get(), piece->size());
    }
}

bool body_reader::can_be_skipped() const {
    const bool is_coming = !_owes_continue && !_input.has_failed();
    return _input.is_complete() || (is_coming && declared_bytes_left() <= drain_bytes_max);
}

// Nothing for a chunked body: its length is not known before its end.
uint64_t body_reader::declared_bytes_left() const {
    const auto& length = _input.head().content_length;
    return length ? *length - _input.received_bytes() : 0;
}

} // namespace http
