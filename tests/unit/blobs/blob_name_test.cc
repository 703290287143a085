#include "blobs/core/blob_name.hh"

#include <random>

#include <gtest/gtest.h>

namespace blobs {
namespace {

TEST(blob_name, is_source_time_and_counter) {
    const blob_identity identity{"nginx", *base::parse_time("2026-11-16T09:30:00Z"), 42};
    EXPECT_EQ(blob_name(identity), "nginx/2026/11/16/0930/000042.log");
    EXPECT_EQ(parse_blob_name("nginx/2026/11/16/0930/000042.log"), identity);
}

TEST(blob_name, sources_are_made_safe) {
    EXPECT_EQ(safe_source("kernel"), "kernel");
    EXPECT_EQ(safe_source("my.app-1_x"), "my.app-1_x");
    EXPECT_EQ(safe_source("../etc"), "%2E.%2Fetc");
    EXPECT_EQ(safe_source("a b/c%"), "a%20b%2Fc%25");
    EXPECT_EQ(safe_source(""), "%");
    EXPECT_EQ(safe_source(std::string_view("\0\xff", 2)), "%00%FF");
}

TEST(blob_name, any_source_comes_back) {
    std::mt19937_64 random(91);
    for (int round = 0; round < 5'000; ++round) {
        std::string source;
        for (size_t i = random() % 20; i != 0; --i) {
            source.push_back(static_cast<char>(random() % 3 == 0 ? random() % 256 : 'a' + random() % 26));
        }
        const blob_identity identity{source, *base::parse_time("2026-01-02T03:04:00Z"), random()};
        const auto name = blob_name(identity);
        EXPECT_EQ(parse_blob_name(name), identity) << name;
        EXPECT_EQ(name.find(".."), source.find("..", 1) == std::string::npos ? std::string::npos : name.find(".."));
    }
}

TEST(blob_name, other_names_are_none) {
    for (const char* name :
         {"", "nginx", "nginx/2026/11/16/0930/42.log", "nginx/2026/13/16/0930/000042.log", "nginx/2026/11/16/0930/000042",
          "a%2f/2026/11/16/0930/000042.log", "a%61/2026/11/16/0930/000042.log", "/2026/11/16/0930/000042.log",
          "nginx/2026/11/16/0930/0000042.log", "nginx/2026/11/16/0930/00004x.log", ".x/2026/11/16/0930/000042.log"}) {
        EXPECT_FALSE(parse_blob_name(name)) << name;
    }
}

} // namespace
} // namespace blobs
