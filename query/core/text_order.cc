#include "query/core/text_order.hh"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace query {
namespace {

// EE EF F0..F4 -> F3 F4 EE..F2; the rest stays.
constexpr int rank(char c) {
    const int byte = static_cast<unsigned char>(c);
    if (byte < 0xee || byte > 0xf4) {
        return byte;
    }
    return byte < 0xf0 ? byte + 5 : byte - 2;
}

static_assert(std::endian::native == std::endian::little, "the first byte of a word is its lowest");

// Where two texts first differ, or `size`.
size_t first_difference(const char* a, const char* b, size_t size) {
    size_t at = 0;
    for (; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
        uint64_t x = 0;
        uint64_t y = 0;
        std::memcpy(&x, a + at, sizeof x);
        std::memcpy(&y, b + at, sizeof y);
        if (x != y) {
            return at + static_cast<size_t>(std::countr_zero(x ^ y)) / 8;
        }
    }
    while (at < size && a[at] == b[at]) {
        ++at;
    }
    return at;
}

} // namespace

int compare_text(std::string_view a, std::string_view b) {
    const size_t common = std::min(a.size(), b.size());
    const size_t at = first_difference(a.data(), b.data(), common);
    if (at == common) {
        return (a.size() > common) - (b.size() > common);
    }
    return rank(a[at]) - rank(b[at]);
}

} // namespace query
