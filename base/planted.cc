#include "base/planted.hh"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace base {
namespace {

constexpr std::array<std::string_view, 13> names{"none",
                                                 "acknowledge_before_flush",
                                                 "missing_directory_sync",
                                                 "checksum_of_a_part",
                                                 "retried_flush",
                                                 "silent_end_of_replay",
                                                 "split_transaction",
                                                 "condition_before_suspension",
                                                 "retention_by_wall_clock",
                                                 "another_reader_for_repair",
                                                 "accept_without_room",
                                                 "trusted_length",
                                                 "signature_by_prefix"};

bug chosen() {
    const char* const name = std::getenv("DOWNTICK_BUG");
    for (size_t i = 0; i < names.size(); ++i) {
        if (name == nullptr || name == names[i]) {
            return static_cast<bug>(i);
        }
    }
    std::fprintf(stderr, "DOWNTICK_BUG=%s: there is no such bug\n", name);
    std::abort();
}

} // namespace

bool planted(bug b) {
    static const bug one = chosen();
    return b == one;
}

} // namespace base
