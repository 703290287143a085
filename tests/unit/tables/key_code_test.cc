#include "tables/core/key_code.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/ticks.hh"
#include "tests/unit/tables/random_text.hh"

namespace {

using tables::key_code;

TEST(key_code, never_decreases_as_keys_ascend) {
    constexpr uint64_t seed = 3;
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::vector<std::string> keys{"", "0", "9", ":", "/", " ", std::string(19, '9'), std::string(30, '9'), std::string(19, '0')};
    const std::string_view alphabet = "0123456789 /:aZ\xc3\xee\xf4";
    for (int i = 0; i < 4'000; ++i) {
        std::string key =
            random() % 2 == 0 ? std::string() : base::inverted_text(base::tick{static_cast<int64_t>(random() % 100'000)});
        key.resize(random() % (key.size() + 1));
        for (auto n = random() % 4; n > 0; --n) {
            key += alphabet[random() % alphabet.size()];
        }
        keys.push_back(std::move(key));
    }
    std::ranges::sort(keys);
    for (size_t i = 1; i < keys.size(); ++i) {
        ASSERT_LE(key_code(keys[i - 1]), key_code(keys[i])) << keys[i - 1] << " and " << keys[i];
    }
}

TEST(key_code, tells_neighbouring_ticks_apart) {
    for (int64_t t : {int64_t{0}, int64_t{1}, int64_t{639'304'182'000'000'000}, base::tick_max.value - 1}) {
        EXPECT_EQ(key_code(base::inverted_text(base::tick{t})), key_code(base::inverted_text(base::tick{t + 1}) + "99") + 1);
    }
}

} // namespace
