#include "tests/unit/tables/segment/segment_dump.hh"

#include <fmt/format.h>

#include "tests/unit/tables/segment/sample_segment.hh"

namespace samples {
namespace {

// Values as their bits, so that no digit of a double is lost in printing.
std::string text_of(const stored_property& p) {
    std::string bytes;
    for (const char c : p.bytes) {
        bytes += c >= ' ' && c <= '~' ? std::string(1, c) : fmt::format("\\{:02x}", static_cast<uint8_t>(c));
    }
    return fmt::format(" {}:{}={}", p.name, static_cast<int>(p.type), p.bytes.empty() ? fmt::format("{:x}", p.bits) : bytes);
}

} // namespace

std::string dump(std::string_view file) {
    const auto segment = open(file);
    std::string out;
    for (size_t b = 0; b < segment.blocks_count(); ++b) {
        for (const auto& [k, row] : rows_of(segment, file, b).value()) {
            out += fmt::format("{} {} {} {}", k.first, k.second, static_cast<int>(row.kind), row.timestamp.value);
            for (const auto& p : row.properties) {
                out += text_of(p);
            }
            out += '\n';
        }
    }
    return out;
}

} // namespace samples
