// Typed entities of about 1 KB that compress about 3:1: what both sides of the engine benchmark store.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tables/core/value.hh"

namespace bench {

class entity_generator {
public:
    explicit entity_generator(uint64_t seed);

    // Sorted by name; the texts live until the next call.
    const std::vector<tables::property>& next();
    std::string partition_key() const; // of the entity made last: one of 1,000
    std::string row_key() const;       // unique and random

private:
    uint64_t random();

    uint64_t _state;
    uint64_t _count = 0;
    std::vector<std::string> _texts;
    std::vector<tables::property> _properties;
};

} // namespace bench
