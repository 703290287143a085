// The first part of a key as one number, so that most comparisons of keys are comparisons of integers in memory that is at
// hand anyway. Log-tail keys get all 19 digits of their tick into it.
#pragma once

#include <cstdint>
#include <string_view>

namespace tables {

// Never decreases as keys ascend: a smaller code is a smaller key. Equal codes say nothing; compare the keys.
uint64_t key_code(std::string_view collated);

// A key on its way through an ordered structure.
struct coded_key {
    uint64_t code;
    std::string_view bytes;

    explicit coded_key(std::string_view collated) : code(key_code(collated)), bytes(collated) {}
};

} // namespace tables
