#include "server/core/origin.hh"

#include <gtest/gtest.h>

namespace {

TEST(origin, pages_of_this_machine_are_its_own) {
    for (auto own : {"http://localhost:3000", "https://localhost", "http://127.0.0.1:8470", "http://[::1]:8470"}) {
        EXPECT_TRUE(server::is_of_this_machine(own)) << own;
    }
}

TEST(origin, all_others_are_foreign) {
    for (auto foreign : {"", "null", "https://example.com", "http://127.0.0.1.example.com", "http://127.example.com",
                         "http://localhost.example.com:80", "http://[::1", "http://10.0.0.1"}) {
        EXPECT_FALSE(server::is_of_this_machine(foreign)) << foreign;
    }
}

} // namespace
