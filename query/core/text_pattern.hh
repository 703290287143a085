// One compiled pattern of matchesPattern. RE2: time linear in the text, whatever the pattern.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace query {

class text_pattern {
public:
    // Or why not, for a person: not RE2 syntax, or over one of the bounds of filter_limits.hh.
    static std::expected<text_pattern, std::string> compile(std::string_view);
    text_pattern(text_pattern&&) noexcept;
    text_pattern& operator=(text_pattern&&) noexcept;
    ~text_pattern();

    // Anywhere in the text, unless the pattern has anchors. Allocates nothing but the automaton's cache, within its bound.
    bool is_found_in(std::string_view text) const;

private:
    explicit text_pattern(std::unique_ptr<re2::RE2>);

    std::unique_ptr<re2::RE2> _compiled;
};

} // namespace query
