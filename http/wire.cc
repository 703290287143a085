#include "http/wire.hh"

#include <algorithm>
#include <cerrno>
#include <functional>
#include <numeric>
#include <system_error>

#include <seastar/core/coroutine.hh>

namespace http {

static constexpr auto never = wire::clock::time_point::max();

static seastar::data_source open_source(seastar::connected_socket& socket) {
    return socket.input({.buffer_size = read_bytes_min, .min_buffer_size = read_bytes_min, .max_buffer_size = read_bytes_max})
        .detach();
}

wire::wire(client_socket socket, const deadlines& waits, counters& counts)
    : _socket(std::move(socket)), _source(open_source(_socket.stream)), _sink(_socket.stream.output().detach()),
      _watch(tcp().wait_input_shutdown().then_wrapped([this](seastar::future<> done) {
          done.ignore_ready_future();
          request_disconnected();
      })),
      _waits(waits), _counters(counts) {}

seastar::future<wire::buffer> wire::read(clock::time_point deadline) {
    if (_is_over) {
        return seastar::make_ready_future<buffer>();
    }
    _read_deadline = deadline;
    return _source.get().then_wrapped([this](seastar::future<buffer> got) {
        _read_deadline = never;
        if (got.failed()) {
            got.ignore_ready_future();
            _is_over = true;
            return buffer();
        }
        auto bytes = got.get();
        _is_over = bytes.empty();
        _counters.bytes_in += bytes.size();
        return bytes;
    });
}

seastar::future<> wire::write(buffer bytes) {
    if (bytes.size() > write_piece_bytes_max || _is_broken) {
        std::vector<buffer> pieces;
        pieces.push_back(std::move(bytes));
        return write_in_pieces(std::move(pieces));
    }
    const auto size = bytes.size();
    return put(std::move(bytes), size);
}

seastar::future<> wire::write(std::vector<buffer> pieces) {
    const auto size = std::transform_reduce(pieces.begin(), pieces.end(), size_t(0), std::plus(), std::mem_fn(&buffer::size));
    return size > write_piece_bytes_max || _is_broken ? write_in_pieces(std::move(pieces)) : put(std::move(pieces), size);
}

template <class Bytes>
seastar::future<> wire::put(Bytes bytes, size_t size) {
    _counters.bytes_out += size;
    _write_deadline = clock::now() + _waits.write_progress;
    return _sink.put(std::move(bytes)).then_wrapped([this](seastar::future<> done) {
        _write_deadline = never;
        _is_broken |= done.failed();
        return done;
    });
}

seastar::future<> wire::write_in_pieces(std::vector<buffer> pieces) {
    for (auto& piece : pieces) {
        while (!piece.empty()) {
            if (_is_broken) {
                throw std::system_error(EPIPE, std::system_category(), "the client is gone");
            }
            const auto size = std::min(piece.size(), write_piece_bytes_max);
            auto part = piece.share(0, size);
            piece.trim_front(size);
            co_await write(std::move(part));
        }
    }
}

void wire::request_disconnected() noexcept {
    if (!_disconnected.abort_requested()) {
        _disconnected.request_abort();
    }
}

void wire::expire(clock::time_point now) {
    if (now >= _read_deadline) {
        _has_expired = true;
        shutdown_input();
    }
    if (now >= _write_deadline) {
        cut();
    }
}

void wire::shutdown_input() noexcept {
    _is_over = true;
    _read_deadline = never;
    try {
        tcp().shutdown_input();
    } catch (...) { // the peer was quicker
    }
}

void wire::shutdown_output() noexcept {
    _is_broken = true;
    _write_deadline = never;
    try {
        _socket.stream.shutdown_output();
    } catch (...) { // the peer was quicker
    }
}

void wire::cut() noexcept {
    _is_broken = true;
    _write_deadline = never;
    try {
        tcp().shutdown_output();
    } catch (...) { // the peer was quicker
    }
    shutdown_input();
    request_disconnected();
}

seastar::future<> wire::close() {
    if (is_secure()) {
        shutdown_output();
        _write_deadline = clock::now() + _waits.linger;
    } else {
        cut();
    }
    co_await std::move(_watch);
}

} // namespace http
