#include "http/core/request_parser.hh"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "http/core/framing.hh"

namespace http {

// llhttp refuses verbs it does not know, and changes protocol for some it does (CONNECT, PRI, SOURCE, the RTSP ones). So it
// is always shown this one, which has no rule of its own; the real one is read here.
static constexpr std::string_view stand_in_method = "PUT ";

// What a head of the usual size fits in; more is given back after the request.
static constexpr size_t carried_bytes_kept = 4096;

static constexpr auto token_characters = [] {
    std::array<bool, 256> is_token{};
    for (char c : std::string_view("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
        is_token[static_cast<unsigned char>(c)] = true;
    }
    return is_token;
}();

// Called by llhttp. Only callbacks that fire at a fixed byte of the stream may refuse: those for spans also fire wherever a
// call's bytes happen to end.
struct request_parser::callbacks {
    static request_parser& self(llhttp_t* p) { return *static_cast<request_parser*>(p->data); }
    static int pause_at(llhttp_t* p, pause where) {
        self(p)._pause = where;
        return HPE_PAUSED;
    }
    static int refuse(llhttp_t* p, unsigned status, std::string_view reason) {
        self(p)._error = protocol_error{status, reason};
        return -1;
    }

    static int on_url(llhttp_t* p, const char* at, size_t length) {
        self(p).extend(self(p)._target, at, length);
        return 0;
    }
    static int on_url_complete(llhttp_t* p) { return p->http_minor == 9 ? refuse(p, 505, "HTTP/0.9 is not spoken here") : 0; }
    static int on_version_complete(llhttp_t* p) {
        return p->http_major == 1 ? pause_at(p, pause::line_end) : refuse(p, 505, "only HTTP/1.1 and HTTP/1.0 are spoken here");
    }
    static int on_header_field(llhttp_t* p, const char* at, size_t length) {
        auto& parser = self(p);
        if (parser._phase == phase::headers) {
            if (!std::exchange(parser._in_field, true)) {
                parser._fields.emplace_back();
            }
            parser.extend(parser._fields.back().name, at, length);
        }
        return 0;
    }
    static int on_header_value(llhttp_t* p, const char* at, size_t length) {
        auto& parser = self(p);
        if (parser._phase == phase::headers) {
            parser.extend(parser._fields.back().value, at, length);
        }
        return 0;
    }
    static int on_header_value_complete(llhttp_t* p) {
        auto& parser = self(p);
        parser._in_field = false;
        return parser._fields.size() > parser._limits.header_fields_max ? refuse(p, 431, "too many header fields") : 0;
    }
    static int on_headers_complete(llhttp_t* p) {
        p->upgrade = 0; // an offer to change protocol is ignored, as a server may
        return pause_at(p, pause::headers_end);
    }
    static int on_body(llhttp_t* p, const char* at, size_t length) {
        if (length == 0) {
            return 0;
        }
        self(p)._piece = {at, length};
        return pause_at(p, pause::body_piece);
    }
    static int on_message_complete(llhttp_t* p) { return pause_at(p, pause::message_end); }

    static const llhttp_settings_t* settings() {
        static const llhttp_settings_t all = [] {
            llhttp_settings_t s;
            llhttp_settings_init(&s);
            s.on_url = on_url;
            s.on_url_complete = on_url_complete;
            s.on_version_complete = on_version_complete;
            s.on_header_field = on_header_field;
            s.on_header_value = on_header_value;
            s.on_header_value_complete = on_header_value_complete;
            s.on_headers_complete = on_headers_complete;
            s.on_body = on_body;
            s.on_message_complete = on_message_complete;
            return s;
        }();
        return &all;
    }
};

request_parser::request_parser(const parse_limits& limits) : _limits(limits) {
    llhttp_init(&_llhttp, HTTP_REQUEST, callbacks::settings());
    _llhttp.data = this;
}

void request_parser::next_request() {
    assert(_phase == phase::complete);
    llhttp_reset(&_llhttp);
    _phase = phase::method;
    _is_paused = _in_field = false;
    _position = _head_begin = _headers_begin = 0;
    _body_bytes = _framing_bytes = 0;
    _target = {};
    _fields.clear();
    _carried.clear();
    if (_carried.capacity() > carried_bytes_kept) {
        _carried.shrink_to_fit();
    }
    _head = {};
}

result<parse_step> request_parser::feed(std::string_view bytes) {
    assert(_phase != phase::complete);
    if (_error) {
        return std::unexpected(*_error);
    }
    if (bytes.data() == nullptr) {
        bytes = ""; // llhttp takes a null position for "no span is open"
    }
    return _phase == phase::body ? read_body(bytes) : read_head(bytes);
}

result<parse_step> request_parser::read_head(std::string_view bytes) {
    _call_bytes = bytes.data();
    _call_position = _position;
    size_t used = 0;
    if (_phase == phase::method) {
        auto taken = read_method(bytes);
        if (!taken) {
            return fail(taken.error());
        }
        used = *taken;
    }
    while (used < bytes.size()) {
        if (_position >= head_bytes_max()) {
            return fail(_phase == phase::request_line ? protocol_error{414, "request line too long"}
                                                      : protocol_error{431, "header fields too large"});
        }
        auto taken = execute(bytes.substr(used, head_bytes_max() - _position));
        if (!taken) {
            return fail(taken.error());
        }
        used += *taken;
        _position += *taken;
        if (_is_paused && _pause == pause::headers_end) {
            return finish_head(bytes.substr(0, used));
        }
        if (_is_paused) {
            _phase = phase::headers;
            _headers_begin = _position;
        }
    }
    _carried.append(bytes);
    return parse_step{parse_event::need_more, used, {}};
}

// Consumes the verb and the blank after it, and then lets llhttp go on from there.
result<size_t> request_parser::read_method(std::string_view bytes) {
    for (size_t i = 0; i < bytes.size(); ++i, ++_position) {
        const char c = bytes[i];
        const auto length = _position - _head_begin;
        if ((c == '\r' || c == '\n') && length == 0) {
            if (++_head_begin > 2 * empty_lines_max) {
                return refuse(400, "too many empty lines before a request");
            }
        } else if (c == ' ' && length > 0) {
            _method = {static_cast<uint32_t>(_head_begin), static_cast<uint32_t>(_position)};
            _phase = phase::request_line;
            ++_position;
            [[maybe_unused]] const auto code = llhttp_execute(&_llhttp, stand_in_method.data(), stand_in_method.size());
            assert(code == HPE_OK);
            return i + 1;
        } else if (!token_characters[static_cast<unsigned char>(c)]) {
            return refuse(400, "the request does not begin with a method");
        } else if (length >= method_bytes_max) {
            return refuse(501, "unknown method");
        }
    }
    return bytes.size();
}

// `bytes` are those of this call that belong to the head.
result<parse_step> request_parser::finish_head(std::string_view bytes) {
    const auto used = bytes.size();
    if (!_carried.empty()) {
        _carried.append(bytes);
        bytes = _carried;
    }
    assert(bytes.size() == _position);
    const auto text = [bytes](range r) { return bytes.substr(r.begin, r.end - r.begin); };
    _views.clear();
    for (const auto& field : _fields) {
        auto value = text(field.value);
        value = value.substr(0, value.find_last_not_of(" \t") + 1);
        _views.push_back({text(field.name), value});
    }
    _head.method = text(_method);
    _head.target = text(_target);
    _head.version_minor = _llhttp.http_minor;
    _head.headers = _views;
    _head.keep_alive = llhttp_should_keep_alive(&_llhttp) && !(_llhttp.flags & F_CONNECTION_CLOSE);
    if (_llhttp.flags & F_CONTENT_LENGTH) {
        _head.content_length = _llhttp.content_length;
    }
    _head.is_chunked = (_llhttp.flags & F_CHUNKED) != 0;
    if (auto checked = complete_head(_head); !checked) {
        return fail(checked.error());
    }
    _phase = phase::body;
    return parse_step{parse_event::head, used, {}};
}

result<parse_step> request_parser::read_body(std::string_view bytes) {
    size_t used = 0;
    do {
        const auto room = framing_bytes_left();
        if (room == 0) {
            return fail({431, "chunk extensions or trailers too large"});
        }
        _piece = {};
        auto taken = execute(bytes.substr(used, room));
        if (!taken) {
            return fail(taken.error());
        }
        used += *taken;
        _body_bytes += _piece.size();
        _framing_bytes += *taken - _piece.size();
        if (_is_paused && _pause == pause::message_end) {
            _phase = phase::complete;
            return parse_step{parse_event::complete, used, {}};
        }
        if (_is_paused) {
            return parse_step{parse_event::body, used, _piece};
        }
    } while (used < bytes.size());
    return parse_step{parse_event::need_more, used, {}};
}

result<size_t> request_parser::execute(std::string_view bytes) {
    if (std::exchange(_is_paused, false)) {
        llhttp_resume(&_llhttp);
    }
    const auto code = llhttp_execute(&_llhttp, bytes.data(), bytes.size());
    if (code == HPE_OK) {
        return bytes.size();
    }
    if (code == HPE_PAUSED) {
        _is_paused = true;
        return static_cast<size_t>(llhttp_get_error_pos(&_llhttp) - bytes.data());
    }
    return std::unexpected(_error.value_or(llhttp_failure(code)));
}

std::unexpected<protocol_error> request_parser::fail(protocol_error error) {
    _phase = phase::failed;
    _error = error;
    return std::unexpected(error);
}

protocol_error request_parser::llhttp_failure(llhttp_errno_t code) const {
    const unsigned status = code == HPE_INVALID_VERSION && _phase == phase::request_line ? 505 : 400;
    return {status, llhttp_get_error_reason(&_llhttp)};
}

size_t request_parser::head_bytes_max() const {
    return _phase == phase::request_line ? _head_begin + _limits.request_line_bytes_max
                                         : _headers_begin + _limits.header_block_bytes_max;
}

// Counted so that it can only run out at the end of what one execute() was given, wherever calls are cut.
uint64_t request_parser::framing_bytes_left() const {
    return _limits.header_block_bytes_max + framing_bytes_per_body_byte * _body_bytes - _framing_bytes;
}

void request_parser::extend(range& r, const char* at, size_t length) const {
    const auto begin = static_cast<uint32_t>(_call_position + static_cast<size_t>(at - _call_bytes));
    if (r.begin == 0) {
        r.begin = begin;
    }
    r.end = begin + static_cast<uint32_t>(length);
}

} // namespace http
