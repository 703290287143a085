// Random lines of line protocol: most of them right, with every escape, type and blank there is; and damage.
#pragma once

#include <random>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace ingest_test {

template <class T, size_t N>
const T& pick(std::mt19937_64& random, const T (&from)[N]) {
    return from[random() % N];
}

inline std::string random_name(std::mt19937_64& random) {
    static constexpr std::string_view parts[] = {
        "a",  "b",    "host", "usage_user", "x1", "_", "\\,", "\\ ", "\\=",  "\\a", "\\\\", "ä", "😀",
        "\"", "\\\"", ".",    "/",          "%",  "#", "-",   "A",   "\x01", "\t",  "🜁",    "é", "longer_name"};
    std::string name;
    do {
        name += pick(random, parts);
    } while (random() % 3 != 0);
    return name;
}

inline std::string random_number(std::mt19937_64& random) {
    switch (random() % 8) {
    case 0: return std::to_string(static_cast<int64_t>(random()));
    case 1: return fmt::format("{}", std::bit_cast<double>(random()));
    case 2: return fmt::format("{:.{}f}", static_cast<double>(random() % 100'000'000) / 1e4, random() % 6);
    case 3: return fmt::format("{:e}", static_cast<double>(random() % 1'000'000) / 7);
    case 4: return fmt::format("-{}.{}", random() % 1000, random() % 10'000'000'000);
    case 5: return std::to_string(random() % 100);
    case 6: return fmt::format("{}{}", random(), random());
    default: return fmt::format("0.{:0{}}", random() % 1000, 1 + random() % 30);
    }
}

inline std::string random_string(std::mt19937_64& random) {
    static constexpr std::string_view parts[] = {
        "a", " ", ",", "=", "\\\"", "\\\\", "\\n", "\n", "ö", "text that is a little longer", "#", "\r", "\t", "1"};
    std::string text = "\"";
    while (random() % 4 != 0) {
        text += pick(random, parts);
    }
    return text + "\"";
}

inline std::string random_value(std::mt19937_64& random) {
    static constexpr std::string_view words[] = {"t", "T",     "true",  "True",  "TRUE", "f",
                                                 "F", "false", "False", "FALSE", "1i",   "0u"};
    switch (random() % 8) {
    case 0: return random_string(random);
    case 1: return std::string(pick(random, words));
    case 2: return std::to_string(static_cast<int64_t>(random())) + "i";
    case 3: return std::to_string(random() >> random() % 64) + "u";
    default: return random_number(random);
    }
}

inline std::string random_line(std::mt19937_64& random) {
    if (random() % 16 == 0) {
        static constexpr std::string_view others[] = {"", "# comment", "  ", "#\"", "m", "m,", "m a=\"x", "\t# x", " m a=1i"};
        return std::string(pick(random, others));
    }
    std::string line = random_name(random);
    for (size_t tags = random() % 5; tags > 0; --tags) {
        line += "," + random_name(random) + "=" + random_name(random);
    }
    line += random() % 8 == 0 ? "  " : " ";
    for (size_t fields = random() % 6 + 1; fields > 0; --fields) {
        line += random_name(random) + "=" + random_value(random) + (fields > 1 ? "," : "");
    }
    if (random() % 3 != 0) {
        line += " " + std::to_string(static_cast<int64_t>(random()) >> random() % 60);
    }
    return random() % 16 == 0 ? line + " " : line;
}

// Changes, adds or drops a few bytes, those that have a meaning more often.
inline void damage(std::string& text, std::mt19937_64& random) {
    static constexpr std::string_view bytes = ",= \n\"\\\r\t#\xff-.e0";
    for (size_t count = random() % 3 + 1; count > 0 && !text.empty(); --count) {
        const size_t at = random() % text.size();
        switch (random() % 3) {
        case 0: text[at] = bytes[random() % bytes.size()]; break;
        case 1: text.insert(at, 1, bytes[random() % bytes.size()]); break;
        default: text.erase(at, 1 + random() % 3); break;
        }
    }
}

} // namespace ingest_test
