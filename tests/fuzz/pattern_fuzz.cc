// pattern LF text: what filters conclude from a pattern before anything is decoded must hold for every text that RE2 finds it in.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <re2/re2.h>

#include "blobs/core/digit_blind.hh"
#include "blobs/core/pattern_literals.hh"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const auto line = std::min(input.find('\n'), input.size());
    const auto pattern = input.substr(0, line);
    re2::RE2::Options options(re2::RE2::Quiet);
    options.set_max_mem(1 << 20);
    options.set_never_capture(true);
    const re2::RE2 compiled(pattern, options);
    if (pattern.size() > 200 || !compiled.ok()) {
        return 0;
    }
    const auto literals = blobs::required_literals(pattern);
    const bool is_blind = blobs::is_digit_blind(pattern);
    // The text itself, the pattern as a text, and both with other digits: those that match most.
    for (std::string text : {std::string(input.substr(std::min(line + 1, input.size()))), std::string(pattern)}) {
        const bool is_found = re2::RE2::PartialMatch(text, compiled);
        const bool has_all = std::ranges::all_of(literals, [&](const auto& l) { return text.contains(l); });
        if (is_found && !has_all) {
            std::abort();
        }
        for (char& c : text) {
            c = c >= '0' && c <= '9' ? static_cast<char>('0' + (c - '0' + 7) % 10) : c;
        }
        if (is_blind && re2::RE2::PartialMatch(text, compiled) != is_found) {
            std::abort();
        }
    }
    return 0;
}
