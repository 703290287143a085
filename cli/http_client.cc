#include "cli/http_client.hh"

#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <llhttp.h>

namespace cli {
namespace {

using base::errc;
using base::fail;

// Collects a reply; llhttp deals with lengths and chunks.
struct reply_parser {
    const call& asked;
    llhttp_t parser{};
    llhttp_settings_t callbacks{};
    response result;
    std::string header_name;
    bool has_head = false;
    bool is_complete = false;
    bool is_ended = false; // by whoever takes the body

    explicit reply_parser(const call& c) : asked(c) {
        llhttp_settings_init(&callbacks);
        callbacks.on_header_field = [](llhttp_t* p, const char* at, size_t length) { return self(p).add_name({at, length}); };
        callbacks.on_header_value = [](llhttp_t* p, const char* at, size_t length) { return self(p).add_value({at, length}); };
        callbacks.on_header_value_complete = [](llhttp_t* p) {
            self(p).header_name.clear();
            return 0;
        };
        callbacks.on_headers_complete = [](llhttp_t* p) {
            self(p).has_head = true;
            return 0;
        };
        callbacks.on_body = [](llhttp_t* p, const char* at, size_t length) { return self(p).add_body({at, length}); };
        callbacks.on_message_complete = [](llhttp_t* p) {
            self(p).is_complete = true;
            return 0;
        };
        llhttp_init(&parser, HTTP_RESPONSE, &callbacks);
        parser.data = this;
    }

    static reply_parser& self(llhttp_t* p) { return *static_cast<reply_parser*>(p->data); }

    int add_name(std::string_view piece) {
        for (char c : piece) {
            header_name += c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
        }
        return 0;
    }
    int add_value(std::string_view piece) {
        result.headers[header_name] += piece;
        return 0;
    }
    int add_body(std::string_view piece) {
        const int status = llhttp_get_status_code(&parser);
        if (asked.on_body && status >= 200 && status < 300 && !result.is_page()) {
            is_ended = !asked.on_body(piece);
            return is_ended ? -1 : 0;
        }
        result.body += piece;
        return result.body.size() > body_bytes_max ? -1 : 0;
    }
};

base::expected<void> wait_for_reply(const channel& to, const call& asked) {
    for (int seconds = 0; !to.wait_for_input(1); ++seconds) {
        if (asked.on_wait) {
            asked.on_wait();
        }
        if (!asked.waits_forever && seconds >= asked.patience_s) {
            return fail(
                errc::timed_out,
                fmt::format("the server did not answer within {} s; is that the port of its native HTTP?", asked.patience_s));
        }
    }
    return {};
}

base::error broken_off(const reply_parser& reply) {
    return {errc::io_error, reply.has_head
                                ? "the server went away in the middle of its answer: it was stopped, or the connection was cut"
                                : "what answers there is no Downtick server, or one that wants TLS: https://HOST:PORT"};
}

base::expected<response> receive(channel& from, const call& asked) {
    reply_parser reply(asked);
    std::array<char, 16384> buffer;
    while (!reply.is_complete) {
        const auto count = from.receive(buffer);
        if (count < 0 && errno == EAGAIN) {
            if (auto waited = wait_for_reply(from, asked); !waited) {
                return std::unexpected(waited.error());
            }
            continue;
        }
        const auto status =
            count > 0 ? llhttp_execute(&reply.parser, buffer.data(), static_cast<size_t>(count)) : llhttp_finish(&reply.parser);
        if (reply.is_ended) {
            break;
        }
        if (status != HPE_OK || (count <= 0 && !reply.is_complete)) {
            return std::unexpected(broken_off(reply));
        }
    }
    reply.result.status = llhttp_get_status_code(&reply.parser);
    return std::move(reply.result);
}

std::string request_text(const server_address& server, const call& asked) {
    std::string text = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n", asked.method, asked.path, to_string(server));
    text += asked.keeps_open ? "" : "Connection: close\r\n";
    if (!asked.accept.empty()) {
        text += fmt::format("Accept: {}\r\n", asked.accept);
    }
    if (!asked.token.empty()) {
        text += fmt::format("Authorization: Bearer {}\r\n", asked.token);
    }
    if (asked.method != "GET") {
        text += fmt::format("Content-Length: {}\r\n", asked.body.size());
    }
    return text + "\r\n";
}

} // namespace

base::expected<response> send(channel& to, const server_address& server, const call& asked) {
    if (!to.send_all(request_text(server, asked)) || !to.send_all(asked.body)) {
        return fail(errc::io_error, "the server closed the connection");
    }
    return receive(to, asked);
}

base::expected<response> send(const server_address& server, const call& asked) {
    auto opened = channel::open(server);
    return opened ? send(*opened, server, asked) : std::unexpected(opened.error());
}

base::expected<response> get(const server_address& server, std::string_view path, std::string_view token) {
    return send(server, {.path = std::string(path), .token = std::string(token)});
}

} // namespace cli
