// Everything a parser says about a stream of bytes, as one text, so that two ways of cutting the stream can be compared.
#pragma once

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "http/core/request_parser.hh"

namespace testing_lib {

class request_trace {
public:
    explicit request_trace(const http::parse_limits& limits = {}) : _parser(limits) {}

    // Feeds one piece, from memory of exactly its size so that a read beyond it is noticed. False after a failure.
    bool feed(std::string_view piece) {
        const std::string copy(piece);
        const std::vector<char> exact(copy.begin(), copy.end());
        std::string_view rest(exact.data(), exact.size());
        while (!_failed) {
            auto step = _parser.feed(rest);
            if (!step) {
                _failed = true;
                end_body();
                _text += fmt::format("! {} {}\n", step.error().status, step.error().reason);
                break;
            }
            rest.remove_prefix(step->consumed);
            note(*step);
            // A head without a body completes without another byte.
            if (rest.empty() && step->event != http::parse_event::head && step->event != http::parse_event::body) {
                break;
            }
        }
        return !_failed;
    }

    const std::string& text() const { return _text; }

private:
    void note(const http::parse_step& step) {
        switch (step.event) {
        case http::parse_event::head: note_head(); break;
        case http::parse_event::body: _body += step.body; break;
        case http::parse_event::complete:
            end_body();
            _text += ".\n";
            _parser.next_request();
            break;
        case http::parse_event::need_more: break;
        }
    }

    void note_head() {
        const auto& head = _parser.head();
        _text +=
            fmt::format("{} path={} query={} 1.{}{}{}{}", head.method, head.path, head.query, head.version_minor,
                        head.keep_alive ? " keep" : "", head.is_chunked ? " chunked" : "", head.expect_continue ? " expect" : "");
        _text += head.content_length ? fmt::format(" length={}\n", *head.content_length) : "\n";
        for (const auto& [name, value] : head.headers) {
            _text += fmt::format("  {}={}\n", name, value);
        }
    }

    void end_body() {
        if (!_body.empty()) {
            _text += fmt::format("[{}]\n", _body);
            _body.clear();
        }
    }

    http::request_parser _parser;
    std::string _text;
    std::string _body;
    bool _failed = false;
};

inline std::string trace(std::string_view stream, const http::parse_limits& limits = {}) {
    request_trace t(limits);
    t.feed(stream);
    return t.text();
}

} // namespace testing_lib
