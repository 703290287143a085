#include "service/core/base64.hh"

#include <gtest/gtest.h>

#include <random>

namespace {

std::string encoded(std::string_view bytes, service::base64_alphabet alphabet = {}) {
    return service::text_of([&](auto& out) { service::put_base64(out, bytes, alphabet); });
}

TEST(base64, the_vectors_of_the_rfc) {
    const struct {
        std::string_view bytes, text;
    } cases[] = {{"", ""},
                 {"f", "Zg=="},
                 {"fo", "Zm8="},
                 {"foo", "Zm9v"},
                 {"foob", "Zm9vYg=="},
                 {"fooba", "Zm9vYmE="},
                 {"foobar", "Zm9vYmFy"},
                 {"\xfb\xff\xfe", "+//+"}};
    for (const auto& c : cases) {
        EXPECT_EQ(encoded(c.bytes), c.text);
        EXPECT_EQ(service::decode_base64(c.text), c.bytes);
    }
}

TEST(base64, any_bytes_round_trip_in_any_alphabet) {
    const auto seed = std::random_device{}();
    std::mt19937 random(seed);
    for (size_t size = 0; size < 300; ++size) {
        std::string bytes(size, '\0');
        for (auto& byte : bytes) {
            byte = static_cast<char>(random());
        }
        const service::base64_alphabet other{'*', '_', '-'};
        ASSERT_EQ(service::decode_base64(encoded(bytes)), bytes) << "seed " << seed;
        ASSERT_EQ(service::decode_base64(encoded(bytes, other), other), bytes) << "seed " << seed;
        ASSERT_EQ(encoded(bytes).size(), service::base64_length(size));
    }
}

TEST(base64, what_is_not_base64_is_refused) {
    for (auto text :
         {"Z", "Zg", "Zg=", "=", "====", "Z===", "Zg==Zg==", "Zm9v\n", "Zm9v Zm9v", "Zm9*", "Zm=v", "Zm9v====", "Z\xc3\xa9g="}) {
        EXPECT_FALSE(service::decode_base64(text)) << text;
    }
}

} // namespace
