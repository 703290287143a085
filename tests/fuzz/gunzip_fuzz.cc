// A compressed body, whole and in pieces: the same bytes come out of it or the same refusal does, and never more than allowed.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ingest/core/gunzip.hh"

namespace {

constexpr uint64_t inflated_max = 256 << 10;

struct outcome {
    std::string bytes;
    bool is_refused = false;
    bool is_whole = false;

    bool operator==(const outcome&) const = default;
};

// Gives it the input in pieces of so many bytes.
outcome inflate(std::string_view input, size_t piece_bytes) {
    ingest::gunzip stream(inflated_max);
    outcome all;
    while (!input.empty()) {
        auto piece = input.substr(0, piece_bytes);
        input.remove_prefix(piece.size());
        for (;;) {
            const auto some = stream.next(piece);
            if (!some) {
                // What comes out before that, and which of two faults at one place is told, depends on the pieces.
                return {.bytes = {}, .is_refused = true};
            }
            if (some->empty()) {
                break;
            }
            all.bytes += *some;
        }
    }
    all.is_whole = stream.is_whole();
    return all;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) {
        return 0;
    }
    const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto whole = inflate(input, SIZE_MAX);
    if (whole.bytes.size() > inflated_max || inflate(input, 1 + data[0] % 16) != whole) {
        std::abort();
    }
    return 0;
}
