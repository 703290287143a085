#include "blobs/core/text_template.hh"

namespace blobs {
namespace {

text_ref range(size_t begin, size_t end) {
    return {static_cast<uint32_t>(begin), static_cast<uint32_t>(end - begin)};
}

} // namespace

text_template text_template::parse(std::string_view masked) {
    using byte_class::is;
    text_template made;
    size_t done = 0;
    for (size_t i = 0; i < masked.size(); ++i) {
        if (!is(masked[i], byte_class::masked)) {
            continue;
        }
        size_t begin = i;
        while (begin > done && is(masked[begin - 1], byte_class::word)) {
            --begin;
        }
        template_slot slot{.gap = range(done, begin), .parts_begin = static_cast<uint32_t>(made.parts.size())};
        size_t end = begin;
        for (; end < masked.size() && is(masked[end], byte_class::word); ++end) {
            if (is(masked[end], byte_class::masked)) {
                made.parts.push_back({range(begin, end), static_cast<mask>(masked[end])});
                begin = end + 1;
            }
        }
        slot.tail = range(begin, end);
        slot.parts_end = static_cast<uint32_t>(made.parts.size());
        made.slots.push_back(slot);
        done = end;
        i = end - 1;
    }
    made.tail = range(done, masked.size());
    return made;
}

} // namespace blobs
