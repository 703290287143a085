#include "bench/http_reply.hh"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include <strings.h>
#include <sys/socket.h>

namespace bench {
namespace {

// The value of a field of the head; nothing when it is not there.
std::string_view field_of(std::string_view head, std::string_view name) {
    for (size_t at = head.find("\r\n"); at != std::string_view::npos && at + 2 < head.size(); at = head.find("\r\n", at + 2)) {
        const auto line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
        if (line.size() > name.size() && line[name.size()] == ':' && ::strncasecmp(line.data(), name.data(), name.size()) == 0) {
            const auto value = line.substr(name.size() + 1);
            return value.substr(std::min(value.find_first_not_of(' '), value.size()));
        }
    }
    return {};
}

size_t number(std::string_view text, int base) {
    size_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, base);
    return value;
}

} // namespace

void http_reply_reader::reset() {
    _stage = stage::head;
    _status = 0;
    _in.clear();
    _chunks.clear();
    _at = 0;
}

http_reply_reader::received http_reply_reader::receive(int fd) {
    constexpr size_t piece_bytes = 256u << 10;
    const size_t before = _in.size();
    ssize_t count = 0;
    _in.resize_and_overwrite(before + piece_bytes, [&](char* bytes, size_t) {
        count = ::recv(fd, bytes + before, piece_bytes, 0);
        return before + static_cast<size_t>(std::max<ssize_t>(count, 0));
    });
    return count > 0 ? received::something : count < 0 && errno == EAGAIN ? received::nothing_yet : received::end;
}

bool http_reply_reader::advance() {
    while (true) {
        switch (_stage) {
        case stage::head:
            if (!read_head()) {
                return false;
            }
            break;
        case stage::sized: return read_sized();
        case stage::chunks:
            if (!read_chunk()) {
                return false;
            }
            break;
        case stage::whole: return true;
        }
    }
}

bool http_reply_reader::read_head() {
    const size_t end = _in.find("\r\n\r\n");
    if (end == std::string::npos) {
        return false;
    }
    const auto head = std::string_view(_in).substr(0, end);
    _at = end + 4;
    _status = static_cast<int>(number(head.substr(head.find(' ') + 1, 3), 10));
    _is_chunked = field_of(head, "Transfer-Encoding") == "chunked";
    _size = number(field_of(head, "Content-Length"), 10);
    _stage = _is_chunked ? stage::chunks : stage::sized;
    return true;
}

bool http_reply_reader::read_sized() {
    if (_in.size() < _at + _size) {
        return false;
    }
    _stage = stage::whole;
    return true;
}

bool http_reply_reader::read_chunk() {
    const size_t end = _in.find("\r\n", _at);
    if (end == std::string::npos) {
        return false;
    }
    const size_t size = number(std::string_view(_in).substr(_at, end - _at), 16);
    if (_in.size() < end + 2 + size + 2) {
        return false;
    }
    _chunks.append(_in, end + 2, size);
    _at = end + 2 + size + 2;
    if (size == 0) {
        _stage = stage::whole;
    }
    return true;
}

std::string_view http_reply_reader::body() const {
    return _is_chunked ? std::string_view(_chunks) : std::string_view(_in).substr(_at, _size);
}

} // namespace bench
