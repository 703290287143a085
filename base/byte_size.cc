#include "base/byte_size.hh"

#include <cctype>
#include <charconv>

#include <fmt/format.h>

namespace base {

expected<uint64_t> parse_bytes(std::string_view text) {
    double number = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
    const std::string_view units = "BKMGT";
    const auto power = unit.empty() ? 0 : units.find(static_cast<char>(std::toupper(static_cast<unsigned char>(unit.front()))));
    if (status != std::errc() || !(number >= 0 && number <= 1e15) || unit.size() > 1 || power == std::string_view::npos) {
        return fail(errc::invalid_argument, fmt::format("'{}' is not a size; write 512M or 4G", text));
    }
    return static_cast<uint64_t>(number * static_cast<double>(uint64_t{1} << (10 * power)));
}

} // namespace base
