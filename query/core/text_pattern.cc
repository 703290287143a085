#include "query/core/text_pattern.hh"

#include <fmt/format.h>
#include <re2/re2.h>

#include "query/core/filter_limits.hh"

namespace query {

text_pattern::text_pattern(std::unique_ptr<re2::RE2> compiled) : _compiled(std::move(compiled)) {}
text_pattern::text_pattern(text_pattern&&) noexcept = default;
text_pattern& text_pattern::operator=(text_pattern&&) noexcept = default;
text_pattern::~text_pattern() = default;

std::expected<text_pattern, std::string> text_pattern::compile(std::string_view text) {
    if (text.size() > pattern_bytes_max) {
        return std::unexpected(fmt::format("A pattern has at most {} bytes.", pattern_bytes_max));
    }
    re2::RE2::Options options(re2::RE2::Quiet);
    options.set_max_mem(pattern_memory_bytes_max);
    options.set_never_capture(true);
    auto compiled = std::make_unique<re2::RE2>(text, options);
    if (!compiled->ok()) {
        return std::unexpected(fmt::format("The pattern '{}' cannot be used: {}.", text, compiled->error()));
    }
    if (static_cast<size_t>(compiled->ProgramSize()) > pattern_instructions_max) {
        return std::unexpected(fmt::format("The pattern '{}' is too complex: shorten its repetitions.", text));
    }
    return text_pattern(std::move(compiled));
}

bool text_pattern::is_found_in(std::string_view text) const {
    return _compiled->Match(text, 0, text.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

} // namespace query
