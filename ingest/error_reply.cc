#include "ingest/error_reply.hh"

#include <fmt/format.h>

#include "tables/core/unicode.hh"

namespace ingest {
namespace {

// In the message, for clients that show nothing else.
constexpr size_t lines_in_message_max = 3;

// Bytes that are no UTF-8 (a parameter's name may have them) are U+FFFD.
std::string json_string(std::string_view text) {
    const auto repaired = tables::is_utf8(text) ? std::string() : tables::repaired_utf8(text);
    std::string out = "\"";
    for (char c : repaired.empty() ? text : std::string_view(repaired)) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
            out += c;
        }
    }
    return out + '"';
}

// InfluxDB's word for a status, by which its clients decide.
std::string_view influx_code(unsigned status) {
    switch (status) {
    case 401: return "unauthorized";
    case 413: return "request too large";
    case 503: return "unavailable";
    case 507: return "internal error";
    default: return status < 500 ? "invalid" : "internal error";
    }
}

std::string error_members(const refusal& r) {
    const auto message = json_string(r.message);
    return fmt::format(R"("error":{{"code":{},"message":{}}},"code":"{}","message":{})", json_string(r.code), message,
                       influx_code(r.status), message);
}

} // namespace

refusal refusal_of(const base::error& e) {
    using base::errc;
    const auto text = e.detail.empty() ? std::string(base::name(e.code)) : e.detail;
    switch (e.code) {
    case errc::out_of_space: return {507, base::name(e.code), text};
    case errc::too_many_tables: return {400, base::name(e.code), text};
    // The table was dropped while rows were on their way to it; the next attempt makes a new one.
    case errc::table_not_found:
    case errc::busy:
    case errc::timed_out:
    case errc::log_failed:
    case errc::shutting_down: return {503, base::name(e.code), text};
    default: return {500, base::name(e.code), text};
    }
}

seastar::future<> send_error(http::reply_writer& reply, refusal r) {
    return reply.send(r.status, {http::json_type}, "{" + error_members(r) + "}\n");
}

seastar::future<> send_bad_lines(http::reply_writer& reply, uint64_t rejected_count, std::span<const bad_line> listed) {
    refusal r{400, "bad_lines", fmt::format("partial write: {} line(s) were not taken, all others were", rejected_count)};
    std::string lines;
    for (size_t i = 0; i < listed.size(); ++i) {
        const auto why = reason(listed[i].fault);
        if (i < lines_in_message_max) {
            r.message += fmt::format("; line {}: {}", listed[i].line, why);
        }
        lines += fmt::format(R"({}{{"line":{},"reason":{}}})", i == 0 ? "" : ",", listed[i].line, json_string(why));
    }
    return reply.send(r.status, {http::json_type},
                      fmt::format("{{{},\"rejected\":{},\"lines\":[{}]}}\n", error_members(r), rejected_count, lines));
}

} // namespace ingest
