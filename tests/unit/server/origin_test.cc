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

TEST(origin, a_host_that_nobody_else_can_have_is_this_machine) {
    for (auto own :
         {"127.0.0.1:8470", "127.0.0.1", "[::1]:8470", "10.1.2.3:80", "localhost:8470", "LocalHost", "localhost.:8470",
          "devstoreaccount1.localhost:10002", "laptop:8470", "Laptop", "localhost.localdomain", "ip6-localhost:8470"}) {
        EXPECT_TRUE(server::is_host_of_this_machine(own, "laptop")) << own;
    }
}

TEST(origin, a_host_that_anybody_can_have_is_not) {
    for (auto foreign : {"", ":8470", "example.com", "example.com:8470", "127.0.0.1.example.com", "localhost.example.com",
                         "notlocalhost:8470", "laptop.example.com", "lapto", "1.2.3.4.nip.io"}) {
        EXPECT_FALSE(server::is_host_of_this_machine(foreign, "laptop")) << foreign;
    }
    EXPECT_FALSE(server::is_host_of_this_machine("example.com", ""));
}

} // namespace
