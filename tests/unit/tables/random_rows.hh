// Random properties with names from a small alphabet, so that rows often share names and shapes.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tables/core/row.hh"

namespace tables_test {

// Names and texts are owned by `texts`, which must live as long as the properties.
class random_rows {
public:
    explicit random_rows(uint64_t seed) : random(seed) {}

    tables::value any_value() {
        using tables::value;
        switch (random() % 8) {
        case 0: return value::of_string(text(random() % 30));
        case 1: return value::of_int32(static_cast<int32_t>(random()));
        case 2: return value::of_int64(static_cast<int64_t>(random()));
        case 3: return value::of_real(std::bit_cast<double>(random()));
        case 4: return value::of_boolean(random() % 2 == 0);
        case 5:
            return value::of_datetime(base::tick{static_cast<int64_t>(random() % static_cast<uint64_t>(base::tick_max.value))});
        case 6: return value::of_guid(tables::guid{{static_cast<uint8_t>(random()), 2, 3}});
        default: return value::of_binary(text(random() % 300));
        }
    }

    // Sorted by name.
    std::vector<tables::property> properties(size_t names_count) {
        std::vector<tables::property> out;
        for (size_t i = 0; i < names_count; ++i) {
            if (random() % 2 == 0) {
                texts.push_back("name" + std::string(1, static_cast<char>('a' + i)));
                out.push_back({texts.back(), any_value()});
            }
        }
        return out;
    }

    std::string_view text(size_t size) {
        auto& out = texts.emplace_back(size, '\0');
        std::ranges::generate(out, [&] { return static_cast<char>('a' + random() % 26); });
        return out;
    }

    std::mt19937_64 random;
    std::deque<std::string> texts;
};

inline bool same(std::span<const tables::property> a, std::span<const tables::property> b) {
    return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return x.name == y.name && identical(x.value, y.value); });
}

inline std::vector<tables::property> properties_of(const tables::row_view& row) {
    std::vector<tables::property> out;
    for (size_t i = 0; i < row.size(); ++i) {
        out.push_back(row[i]);
    }
    return out;
}

} // namespace tables_test
