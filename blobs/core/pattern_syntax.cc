#include "blobs/core/pattern_syntax.hh"

namespace blobs {
namespace {

// RE2 repeats at most 1,000 times. It refuses what is somewhat more, and does not take what is much more for a repetition.
constexpr size_t repetition_digits_max = 4;

// Nothing when there is no number, or one that RE2 does not take for one: with a zero in front, or too long.
size_t repetition_number_size(std::string_view text) {
    size_t size = 0;
    while (size < text.size() && text[size] >= '0' && text[size] <= '9') {
        ++size;
    }
    const bool is_number = size <= repetition_digits_max && (size < 2 || text.front() != '0');
    return is_number ? size : 0;
}

} // namespace

size_t repetition_size(std::string_view text) {
    size_t at = repetition_number_size(text);
    if (at == 0) {
        return 0;
    }
    if (text.substr(at).starts_with(',')) {
        ++at;
        at += repetition_number_size(text.substr(at));
    }
    return text.substr(at).starts_with('}') ? at + 1 : 0;
}

size_t named_class_size(std::string_view text) {
    if (!text.starts_with("[:")) {
        return 0;
    }
    const size_t end = text.find(":]", 2);
    return end == std::string_view::npos ? 0 : end + 2;
}

} // namespace blobs
