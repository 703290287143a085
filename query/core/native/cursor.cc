#include "query/core/native/cursor.hh"

#include "base/checksum.hh"
#include "base/coding.hh"
#include "query/core/native/limits.hh"

namespace query {
namespace {

constexpr uint8_t version_without_now = 1;
constexpr uint8_t version_with_now = 2;
constexpr std::string_view hex_digits = "0123456789abcdef";

std::string to_hex(std::string_view bytes) {
    std::string text;
    text.reserve(2 * bytes.size());
    for (char c : bytes) {
        text += hex_digits[static_cast<uint8_t>(c) >> 4];
        text += hex_digits[static_cast<uint8_t>(c) & 15];
    }
    return text;
}

// Empty when it is not hex.
std::string from_hex(std::string_view text) {
    std::string bytes;
    if (text.size() % 2 != 0 || text.size() > 2 * cursor_bytes_max) {
        return bytes;
    }
    for (size_t i = 0; i < text.size(); i += 2) {
        const auto high = hex_digits.find(text[i]);
        const auto low = hex_digits.find(text[i + 1]);
        if (high == hex_digits.npos || low == hex_digits.npos) {
            return {};
        }
        bytes += static_cast<char>(high << 4 | low);
    }
    return bytes;
}

int64_t read_signed(base::byte_reader& in) {
    return static_cast<int64_t>(in.fixed<uint64_t>());
}

void put_signed(std::string& out, int64_t value) {
    base::put_fixed(out, static_cast<uint64_t>(value));
}

} // namespace

std::string encode_cursor(const cursor& c) {
    std::string body;
    base::put_fixed(body, c.request);
    put_signed(body, c.range.start_ns);
    put_signed(body, c.range.end_ns);
    put_signed(body, c.last.time_ns);
    body += static_cast<char>(c.last.origin.kind);
    base::put_bytes(body, c.last.origin.name);
    base::put_varint(body, c.last.table);
    base::put_bytes(body, c.last.partition_key);
    base::put_bytes(body, c.last.row_key);
    if (c.now_ns) {
        put_signed(body, *c.now_ns);
    }
    std::string whole(1, static_cast<char>(c.now_ns ? version_with_now : version_without_now));
    base::put_fixed(whole, base::checksum32(body));
    return to_hex(whole + body);
}

base::expected<cursor> decode_cursor(std::string_view text) {
    const auto bytes = from_hex(text);
    base::byte_reader in(bytes);
    const auto found_version = in.fixed<uint8_t>();
    const auto sum = in.fixed<uint32_t>();
    const bool is_version = found_version == version_without_now || found_version == version_with_now;
    if (!in.ok() || !is_version || base::checksum32(in.rest()) != sum) {
        return base::fail(base::errc::invalid_argument, "cursor: not a cursor of this server");
    }
    cursor c;
    c.request = in.fixed<uint64_t>();
    c.range.start_ns = read_signed(in);
    c.range.end_ns = read_signed(in);
    c.last.time_ns = read_signed(in);
    const auto kind = in.fixed<uint8_t>();
    c.last.origin = {static_cast<origin_kind>(kind), std::string(in.bytes())};
    c.last.table = in.varint();
    c.last.partition_key = in.bytes();
    c.last.row_key = in.bytes();
    if (found_version == version_with_now) {
        c.now_ns = read_signed(in);
    }
    const bool is_kind = kind >= static_cast<uint8_t>(origin_kind::family) && kind <= static_cast<uint8_t>(origin_kind::source);
    if (!in.done() || !is_kind) {
        return base::fail(base::errc::invalid_argument, "cursor: not a cursor of this server");
    }
    return c;
}

} // namespace query
