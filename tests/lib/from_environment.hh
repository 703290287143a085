// A number that a person sets to repeat or lengthen a random test, such as DOWNTICK_SEED.
#pragma once

#include <cstdint>
#include <cstdlib>

inline uint64_t from_environment(const char* name, uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}
