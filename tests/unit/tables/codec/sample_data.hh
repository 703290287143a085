// Numbers and texts of many kinds, one kind and one length for each seed.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tables/core/codec/texts.hh"

namespace samples {

using generator = std::mt19937_64;

inline size_t length(generator& random, size_t most) {
    switch (random() % 4) {
    case 0: return 1 + random() % std::min<size_t>(most, 5);
    case 1: return most;
    default: return 1 + random() % most;
    }
}

constexpr int64_t int_min = std::numeric_limits<int64_t>::min();
constexpr int64_t int_max = std::numeric_limits<int64_t>::max();

inline std::vector<int64_t> ints(uint64_t seed, size_t most) {
    generator random(seed);
    std::vector<int64_t> values(length(random, most));
    const int64_t unit = random() % 2 ? 1 : static_cast<int64_t>(1 + random() % 1'000'000);
    const unsigned spread = static_cast<unsigned>(random() % 40);
    const auto noise = [&] { return static_cast<int64_t>(random() & ((uint64_t{1} << spread) - 1)); };
    int64_t at = random() % 2 ? 0 : static_cast<int64_t>(random() >> 2);
    const auto step = static_cast<int64_t>(random() % 1'000) - 500;
    const auto kind = seed % 8;
    for (auto& v : values) {
        switch (kind) {
        case 0: v = at; break;
        case 1: v = at + noise(); break; // around a base
        case 2: v = at = static_cast<int64_t>(static_cast<uint64_t>(at) + static_cast<uint64_t>(step * unit)); break; // regular
        case 3: v = at += noise() - noise(); break;                                                                   // a walk
        case 4: v = random() % 50 == 0 ? static_cast<int64_t>(random()) : noise(); break; // outliers, both sides
        case 5: v = static_cast<int64_t>(random()); break;                                // anything
        case 6: v = random() % 2 ? int_min + noise() : int_max - noise(); break;          // the ends
        case 7: v = static_cast<int64_t>(static_cast<uint64_t>(noise()) * static_cast<uint64_t>(unit)); break; // multiples
        }
    }
    return values;
}

inline std::vector<double> reals(uint64_t seed, size_t most) {
    generator random(seed);
    std::vector<double> values(length(random, most));
    std::normal_distribution<double> normal;
    const double power = std::pow(10.0, static_cast<double>(random() % 12));
    const double specials[] = {0.0,
                               -0.0,
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN(),
                               std::bit_cast<double>(uint64_t{0xfff8dead00000001}), // a NaN with sign and payload
                               std::bit_cast<double>(uint64_t{0x7ff0000000000001}), // a signalling one
                               std::numeric_limits<double>::denorm_min(),
                               std::numeric_limits<double>::max(),
                               std::numeric_limits<double>::lowest(),
                               9007199254740993.0,
                               0.1};
    double at = 50;
    const auto kind = seed % 8;
    for (auto& v : values) {
        at += normal(random);
        switch (kind) {
        case 0: v = std::round(at * power) / power; break;  // decimals
        case 1: v = at; break;                              // a walk in full precision
        case 2: v = normal(random); break;                  // both signs, many exponents
        case 3: v = std::bit_cast<double>(random()); break; // anything
        case 4: v = specials[random() % std::size(specials)]; break;
        case 5: v = random() % 20 == 0 ? specials[random() % std::size(specials)] : std::round(at * 10) / 10; break;
        case 6: v = static_cast<float>(at); break;
        case 7: v = std::round(at) * 1e15; break;
        }
    }
    return values;
}

inline tables::codec::texts texts(uint64_t seed, size_t most) {
    generator random(seed);
    tables::codec::texts values;
    const size_t count = length(random, most);
    const auto kind = seed % 6;
    for (size_t i = 0; i < count; ++i) {
        std::string text;
        switch (kind) {
        case 0: break;                                                                        // empty ones
        case 1: text = "host-" + std::to_string(random() % 7); break;                         // few different ones
        case 2: text = "request " + std::to_string(random()) + " took too long again"; break; // compressible
        case 3:                                                                               // bytes
            for (size_t n = random() % 30; n-- > 0;) {
                text.push_back(static_cast<char>(random()));
            }
            break;
        case 4: text = std::string(random() % 20'000, static_cast<char>('a' + random() % 3)); break; // long: several pages
        case 5: text = "key/" + std::to_string(1'000'000 + i * 17); break;                           // sorted
        }
        values.push_back(text);
    }
    return values;
}

} // namespace samples
